"""A key that was revoked can be renamed still, and a declined membership's grants end with it.

A name can hold a person's, and an erasure asks for it whether the key is in use or not; nothing else of it changes. Who
declines a membership need not manage members: of one that has ended, whoever may change rows of the tenant at all ends
the grants, which give nothing any more.
"""

from __future__ import annotations

from django.db import migrations

_TENANT = "tenant_id = (SELECT authz.tenant())"
_KEYS = "(SELECT authz.may('key.manage'))"
_MEMBERS = "(SELECT authz.may('member.manage'))"
_OWN_KEY = "(authz.acts_as(person_id) AND (SELECT authz.may('key.own')))"
_OWN_GRANT = (
    "EXISTS (SELECT FROM tenants_apikey k WHERE k.tenant_id = tenants_grant.tenant_id "
    "AND k.id = tenants_grant.api_key_id AND (authz.acts_as(k.person_id) AND (SELECT authz.may('key.own'))))"
)
_ENDED = (
    "EXISTS (SELECT FROM tenants_membership m WHERE m.tenant_id = tenants_grant.tenant_id "
    "AND m.id = tenants_grant.membership_id AND m.revoked_at IS NOT NULL)"
)


def _policies(table: str, using: str, check: str) -> str:
    return "".join(
        f"ALTER POLICY {name} ON {table} USING ({_TENANT} AND {using}) WITH CHECK ({_TENANT} AND {check});\n"
        for name in ("isolation_update", "isolation_update_floor")
    )


def _of_keys(condition: str = "") -> str:
    may = f"({_KEYS} OR {_OWN_KEY})"
    return _policies("tenants_apikey", f"{condition}{may}", may)


def _of_grants(ended: str = "") -> str:
    may = f"(membership_id IS NULL OR {_MEMBERS}{ended}) AND (api_key_id IS NULL OR {_KEYS} OR {_OWN_GRANT})"
    return _policies("tenants_grant", f"valid_to IS NULL AND {may}", f"valid_to IS NOT NULL AND {may}")


_KEPT = """
    CREATE FUNCTION tenants_apikey_ended() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF to_jsonb(NEW) - 'name' IS DISTINCT FROM to_jsonb(OLD) - 'name' THEN
            RAISE EXCEPTION 'of a key that was revoked, the name alone changes' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END
    $$;
    CREATE TRIGGER tenants_apikey_ended BEFORE UPDATE ON tenants_apikey FOR EACH ROW
        WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION tenants_apikey_ended();
"""
_NOT_KEPT = "DROP TRIGGER tenants_apikey_ended ON tenants_apikey; DROP FUNCTION tenants_apikey_ended();"


class Migration(migrations.Migration):
    dependencies = [("tenants", "0015_one_stamp")]

    operations = [
        migrations.RunSQL(sql=_KEPT + _of_keys(), reverse_sql=_NOT_KEPT + _of_keys("revoked_at IS NULL AND ")),
        migrations.RunSQL(sql=_of_grants(f" OR {_ENDED}"), reverse_sql=_of_grants()),
    ]
