"""What invitations, links and second factors share with every walled table: no order to be read out of, server times.

Indexes of 0010 and 0012 are made USING hash, as in 0006. Whoever erases empties an address without the rights of who
changes one. What an account came from is written as it is made, by the database, and met by no other insertion.
"""

from django.db import migrations

from apps.tenants.server_times import ServerTimes

_HASHED = (
    ("invitation_by_token", "tenants_invitation", "token_sha256"),
    ("tenants_factorreset_user_id_286452c2", "tenants_factorreset", "user_id"),
    ("tenants_recoverycode_user_id_8eaaca13", "tenants_recoverycode", "user_id"),
)
_DROPPED = (
    ("tenants_accountlink_token_sha256_7e67825d_like", "tenants_accountlink (token_sha256 varchar_pattern_ops)"),
    # The sweeper reads all links once in a while, and a time that has an index can be read out of it.
    ("tenants_accountlink_expires_at_40948e2e", "tenants_accountlink (expires_at)"),
)
_DIGEST = "tenants_accountlink_token_sha256_key"
_ADDRESS = "CREATE TRIGGER tenants_user_address BEFORE UPDATE OF email ON tenants_user FOR EACH ROW {0};"
_BY_LINK = _ADDRESS.format("WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION tenants_user_address()")
_BY_ANYBODY = _ADDRESS.format("EXECUTE FUNCTION tenants_user_address()")
_EMPTIED = """
    CREATE FUNCTION tenants_user_address_emptied() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE EXCEPTION 'an erasure empties an address, and sets none' USING ERRCODE = 'check_violation';
    END
    $$;
    CREATE TRIGGER tenants_user_address_emptied BEFORE UPDATE OF email ON tenants_user FOR EACH ROW
        WHEN (CURRENT_USER = 'glassbox_eraser' AND NEW.email <> OLD.email AND NEW.email <> '')
        EXECUTE FUNCTION tenants_user_address_emptied();
"""
# INSERT ... ON CONFLICT would ask a condition of another account's hidden row.
_WITH_ACCOUNT = """
    CREATE FUNCTION tenants_accountorigin_begins() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE EXCEPTION 'the database writes what an account came from' USING ERRCODE = 'insufficient_privilege';
    END
    $$;
    CREATE TRIGGER tenants_accountorigin_begins BEFORE INSERT ON tenants_accountorigin FOR EACH ROW
        WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION tenants_accountorigin_begins();
"""
# tenants_same_hands asks who is a colleague, by the policy of what an account came from.
_COLLEAGUES = (
    "CREATE POLICY same_hands ON tenants_membership FOR SELECT TO glassbox_remover "
    "USING (tenant_id = (SELECT authz.tenant_if_open()) OR user_id = (SELECT authz.identity(1))::uuid)"
)


class Migration(migrations.Migration):
    dependencies = [("tenants", "0012_second_factor")]

    operations = [
        *(
            migrations.RunSQL(
                sql=f"DROP INDEX {name}; CREATE INDEX {name} ON {table} USING hash ({column})",
                reverse_sql=f"DROP INDEX {name}; CREATE INDEX {name} ON {table} ({column})",
            )
            for name, table, column in _HASHED
        ),
        *(
            migrations.RunSQL(sql=f"DROP INDEX {name}", reverse_sql=f"CREATE INDEX {name} ON {indexed}")
            for name, indexed in _DROPPED
        ),
        migrations.RunSQL(
            sql=f"ALTER TABLE tenants_accountlink DROP CONSTRAINT {_DIGEST}, "
            f"ADD CONSTRAINT {_DIGEST} EXCLUDE USING hash (token_sha256 WITH =)",
            reverse_sql=f"ALTER TABLE tenants_accountlink DROP CONSTRAINT {_DIGEST}, "
            f"ADD CONSTRAINT {_DIGEST} UNIQUE (token_sha256)",
        ),
        # Beside what the tables' own triggers hold, which fire after these and have the last word.
        ServerTimes("Invitation", begins=("created_at",), ends=("accepted_at", "revoked_at"), notes=("sent_at",)),
        ServerTimes("AccountOrigin", notes=("mailbox_confirmed_at",)),
        ServerTimes("AccountLink", begins=("created_at",), ends=("used_at",)),
        ServerTimes("SecondFactor", begins=("created_at",), ends=("confirmed_at",)),
        ServerTimes("RecoveryCode", ends=("used_at",)),
        ServerTimes("FactorReset", begins=("asked_at",), ends=("agreed_at", "revoked_at")),
        migrations.RunSQL(
            sql=f"DROP TRIGGER tenants_user_address ON tenants_user; {_BY_LINK} {_EMPTIED}",
            reverse_sql="DROP TRIGGER tenants_user_address_emptied ON tenants_user; "
            "DROP FUNCTION tenants_user_address_emptied(); "
            f"DROP TRIGGER tenants_user_address ON tenants_user; {_BY_ANYBODY}",
        ),
        migrations.RunSQL(
            sql=_WITH_ACCOUNT,
            reverse_sql="DROP TRIGGER tenants_accountorigin_begins ON tenants_accountorigin; "
            "DROP FUNCTION tenants_accountorigin_begins()",
        ),
        migrations.RunSQL(sql=_COLLEAGUES, reverse_sql="DROP POLICY same_hands ON tenants_membership"),
    ]
