"""What is unique on the platform is found by its whole value and by nothing else.

An index of a directory's table visits rows of everybody. One with an order tells how many hidden names lie below a
bound; and a unique one lets `INSERT ... ON CONFLICT DO UPDATE ... WHERE` ask a condition of the hidden row that it met,
before its policy. So names are held apart by EXCLUDE USING hash, which has no order and decides no conflict. Django's
state says "unique" and "indexed" as before: that is what its forms go by.

An account's id must be a primary key, since others point to it: an inserted one has to be new, so that it meets none.
"""

from django.db import migrations

_NAMES = (("tenants_user", "username"), ("tenants_tenant", "slug"))
_HASHED = (
    ("api_key_by_prefix", "tenants_apikey", "prefix"),
    ("tenants_membership_user_id_2c860192", "tenants_membership", "user_id"),
)
_DROPPED = (
    ("tenants_user_username_6032312e_like", "tenants_user (username varchar_pattern_ops)"),
    ("tenants_tenant_slug_0a9b71e6_like", "tenants_tenant (slug varchar_pattern_ops)"),
    ("tenants_session_key_sha256_60d8a1af_like", "tenants_session (key_sha256 varchar_pattern_ops)"),
    # The sweeper reads all sessions once in a while, and a time that has an index can be read out of it.
    ("tenants_session_expires_at_24a8f157", "tenants_session (expires_at)"),
)
_NEW_ID = """
    CREATE FUNCTION tenants_user_id_is_new() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF uuid_extract_timestamp(NEW.id) IS NULL
           OR uuid_extract_timestamp(NEW.id) < date_trunc('milliseconds', transaction_timestamp()) THEN
            RAISE EXCEPTION 'an account''s id is made by the database' USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END
    $$;
    REVOKE ALL ON FUNCTION tenants_user_id_is_new() FROM PUBLIC;
    CREATE TRIGGER id_is_new BEFORE INSERT ON tenants_user FOR EACH ROW
        WHEN (row_security_active('tenants_user'::regclass)) EXECUTE FUNCTION tenants_user_id_is_new();
"""
_ANY_ID = "DROP TRIGGER id_is_new ON tenants_user; DROP FUNCTION tenants_user_id_is_new();"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0005_removal")]

    operations = [
        *(
            migrations.RunSQL(
                sql=f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_key, "
                f"ADD CONSTRAINT {table}_{column}_key EXCLUDE USING hash ({column} WITH =)",
                reverse_sql=f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}_key, "
                f"ADD CONSTRAINT {table}_{column}_key UNIQUE ({column})",
            )
            for table, column in _NAMES
        ),
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
        migrations.RunSQL(sql=_NEW_ID, reverse_sql=_ANY_ID),
    ]
