"""A key of a person's ends with what it stands on, and an ended key stays ended.

It ends with the membership whose role it has; one that was made with a second factor ends with that factor, and with the
password, once that is set by a mailed link. `expires_at` comes forward alone.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating

_READ: Final = ("isolation_read", "isolation_read_floor")
_UPDATE: Final = ("isolation_update", "isolation_update_floor")
# For tenants_personal_keys_end alone, which runs where a membership, a factor or a password ends.
_PERSON: Final = (
    "(tenant_id = (SELECT authz.tenant_if_open()) OR person_id = (SELECT authz.identity(1))::uuid) "
    "AND person_id IS NOT NULL"
)

_FORWARD: Final = """
GRANT SELECT (tenant_id, person_id, role, with_second_factor, revoked_at, created_at, prefix), UPDATE (revoked_at)
    ON tenants_apikey TO glassbox_remover;

CREATE FUNCTION tenants_personal_keys_end() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF TG_TABLE_NAME = 'tenants_membership' THEN
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE tenant_id = NEW.tenant_id AND person_id = NEW.user_id AND role = NEW.role AND revoked_at IS NULL;
    ELSIF TG_TABLE_NAME = 'tenants_secondfactor' THEN
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE person_id = OLD.user_id AND with_second_factor AND revoked_at IS NULL;
    ELSE
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE person_id = NEW.user_id AND with_second_factor AND revoked_at IS NULL;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tenants_personal_keys_end() FROM PUBLIC;
CREATE TRIGGER tenants_personal_keys_end AFTER UPDATE OF revoked_at ON tenants_membership FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_end AFTER DELETE ON tenants_secondfactor FOR EACH ROW
    WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_end AFTER UPDATE OF used_at ON tenants_accountlink FOR EACH ROW
    WHEN (NEW.purpose = 'password') EXECUTE FUNCTION tenants_personal_keys_end();

CREATE FUNCTION tenants_apikey_stays_ended() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF OLD.expires_at IS NOT NULL AND coalesce(NEW.expires_at > OLD.expires_at, true)
        OR OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
        RAISE EXCEPTION 'the end of a key only comes forward' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_apikey_stays_ended BEFORE UPDATE OF expires_at, revoked_at ON tenants_apikey
    FOR EACH ROW EXECUTE FUNCTION tenants_apikey_stays_ended();

-- Those that came back with their people before this.
ALTER TABLE tenants_apikey NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenants_membership NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenants_secondfactor NO FORCE ROW LEVEL SECURITY;
UPDATE tenants_apikey k SET revoked_at = now() WHERE k.person_id IS NOT NULL AND k.revoked_at IS NULL AND (
    NOT EXISTS (SELECT FROM tenants_membership m WHERE m.tenant_id = k.tenant_id AND m.user_id = k.person_id
        AND m.role = k.role AND m.revoked_at IS NULL AND m.confirmed_at <= k.created_at)
    OR k.with_second_factor AND NOT EXISTS (SELECT FROM tenants_secondfactor f WHERE f.user_id = k.person_id
        AND f.confirmed_at <= k.created_at));
ALTER TABLE tenants_secondfactor FORCE ROW LEVEL SECURITY;
ALTER TABLE tenants_membership FORCE ROW LEVEL SECURITY;
ALTER TABLE tenants_apikey FORCE ROW LEVEL SECURITY;
"""

_BACKWARD: Final = """
DROP TRIGGER tenants_apikey_stays_ended ON tenants_apikey;
DROP FUNCTION tenants_apikey_stays_ended();
DROP TRIGGER tenants_personal_keys_end ON tenants_accountlink;
DROP TRIGGER tenants_personal_keys_end ON tenants_secondfactor;
DROP TRIGGER tenants_personal_keys_end ON tenants_membership;
DROP FUNCTION tenants_personal_keys_end();
REVOKE SELECT (tenant_id, person_id, role, with_second_factor, revoked_at, created_at, prefix), UPDATE (revoked_at)
    ON tenants_apikey FROM glassbox_remover;
"""


class EndedByTheDatabase(Isolating):
    """Let tenants_personal_keys_end reach keys, beside what their policies let anybody else do, whatever that is."""

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for names, clauses in ((_READ, ("USING",)), (_UPDATE, ("USING", "WITH CHECK"))):
            for name in names:
                found = self._clauses(schema_editor, name)
                wrapped = " ".join(
                    f"{clause} (CASE WHEN CURRENT_USER = 'glassbox_remover' THEN {_PERSON} ELSE ({found[clause]}) END)"
                    for clause in clauses
                )
                schema_editor.execute(f"ALTER POLICY {name} ON tenants_apikey {wrapped}")
        for policy, command, clauses in (
            ("keys_end", "SELECT", ("USING",)),
            ("keys_end_update", "UPDATE", ("USING", "WITH CHECK")),
        ):
            found = self._clauses(schema_editor, "isolation_read" if command == "SELECT" else "isolation_update")
            said = " ".join(f"{clause} ({found[clause]})" for clause in clauses)
            schema_editor.execute(f"CREATE POLICY {policy} ON tenants_apikey FOR {command} TO glassbox_remover {said}")

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        for policy in ("keys_end", "keys_end_update"):
            schema_editor.execute(f"DROP POLICY {policy} ON tenants_apikey")
        for names, clauses in ((_READ, ("USING",)), (_UPDATE, ("USING", "WITH CHECK"))):
            for name in names:
                found = self._clauses(schema_editor, name)
                bare = " ".join(
                    f"{clause} ({found[clause].partition(' ELSE ')[2].rpartition('END')[0]})" for clause in clauses
                )
                schema_editor.execute(f"ALTER POLICY {name} ON tenants_apikey {bare}")

    def _clauses(self, schema_editor: BaseDatabaseSchemaEditor, policy: str) -> dict[str, str]:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid) FROM pg_policy "
                "WHERE polrelid = 'tenants_apikey'::regclass AND polname = %s",
                [policy],
            )
            using, check = cursor.fetchone()
            # One line: what is put between CASE and END is found again by those words.
            return {"USING": " ".join((using or "").split()), "WITH CHECK": " ".join((check or "").split())}


class Migration(migrations.Migration):
    dependencies = (("tenants", "0019_links_end"),)

    operations = (EndedByTheDatabase(), migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD))
