"""What the database itself holds of requests for access. Part of migration 0017_access.

A request for access goes the way of one for erasure until its places are decided on; then a package is made of them,
and it is answered. What a package is made of does not change while the package is there. It is its makers' alone: people
who manage privacy, with all scopes that it quotes from.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor

from apps.tenants.operations import Isolating

TENANT = "tenant_id = (SELECT authz.tenant())"
SCOPES = f"{TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
MANAGES = "(SELECT authz.may('privacy.manage'))"

STEP = "inventory_ready to completed"
_ENDED = "('completed', 'refused', 'withdrawn')"


class ChangedFunction(Isolating):
    """Put one text of a function for another, as the function stands: another migration may have changed it as well."""

    def __init__(self, name: str, *changes: tuple[str, str]) -> None:
        self.name = name
        self.changes = changes

    def describe(self) -> str:
        return f"Change {self.name}"

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._change(schema_editor, [(old, new) for old, new in self.changes])

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any
    ) -> None:
        self._change(schema_editor, [(new, old) for old, new in self.changes])

    def _change(self, schema_editor: BaseDatabaseSchemaEditor, changes: list[tuple[str, str]]) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT pg_get_functiondef(%s::regprocedure)", [self.name])
            (definition,) = cursor.fetchone()
        for old, new in changes:
            if old not in definition:
                raise RuntimeError(f"{self.name} is not what this builds upon")
            definition = definition.replace(old, new)
        schema_editor.execute(definition, params=None)


IN_LISTS = (("'inventory_ready to awaiting_approval', ", f"'{STEP}', 'inventory_ready to awaiting_approval', "),)
OF_PLACES = (
    (
        "r.state IN ('assessing', 'inventory_ready')",
        # A package is made of what was decided until then.
        "(r.state = 'assessing' OR r.state = 'inventory_ready' AND r.purpose = 'erasure')",
    ),
    (
        "NEW.decision <> 'open' OR NEW.words IS NOT NULL",
        "NEW.decision <> 'open' OR NEW.words IS NOT NULL OR NEW.quoting <> '' OR NEW.hidden IS NOT NULL",
    ),
    (
        "ARRAY['decision', 'reason', 'words', 'decided_by_id', 'decided_at']",
        "ARRAY['decision', 'reason', 'words', 'quoting', 'hidden', 'decided_by_id', 'decided_at']",
    ),
)

FORWARD = f"""
CREATE FUNCTION audit_access_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    step text := OLD.state || ' to ' || NEW.state;
BEGIN
    IF NEW.purpose IS DISTINCT FROM OLD.purpose THEN
        RAISE EXCEPTION 'a request keeps its purpose' USING ERRCODE = 'check_violation';
    END IF;
    IF step = '{STEP}' AND NEW.purpose <> 'access' THEN
        RAISE EXCEPTION 'nothing is erased by a person''s word' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.purpose = 'access' AND step IN ('assessing to inventory_ready', '{STEP}') AND NOT EXISTS (
        SELECT FROM public.audit_accesspackage p
         WHERE p.tenant_id = NEW.tenant_id AND p.request_id = NEW.id AND p.expires_at > clock_timestamp()) THEN
        RAISE EXCEPTION 'a request for access is answered with a package' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_access_step BEFORE UPDATE ON audit_erasurerequest
    FOR EACH ROW EXECUTE FUNCTION audit_access_step();

CREATE FUNCTION audit_accesspackage_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF TG_OP = 'DELETE' AND current_user = 'glassbox_remover' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'a package stays as it was made until it goes as a whole: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT authz.may('privacy.manage') OR authz.may('glassbox.platform') OR NOT authz.acts_as(NEW.made_by_id)
        OR NEW.expires_at > clock_timestamp() + interval '91 days' OR NOT EXISTS (
        SELECT FROM public.audit_erasurerequest r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id AND r.purpose = 'access'
           AND r.state = 'assessing') THEN
        RAISE EXCEPTION 'a package is made in one''s own name, for a request for access that is assessed'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_accesspackage_step BEFORE INSERT OR UPDATE OR DELETE ON audit_accesspackage
    FOR EACH ROW EXECUTE FUNCTION audit_accesspackage_step();
CREATE TRIGGER audit_accesspackage_no_truncate BEFORE TRUNCATE ON audit_accesspackage
    FOR EACH STATEMENT EXECUTE FUNCTION audit_accesspackage_step();
-- What is random can't be compressed; trying would cost time on every write.
ALTER TABLE audit_accesspackage ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
ALTER TABLE audit_inventoryhit ALTER COLUMN hidden SET STORAGE EXTERNAL;

-- Packages with their keys, the keys first: those that have expired, that were taken back, or that quote what a run of
-- removals takes which is being carried out. Returns how many keys and rows went, at most so many.
CREATE FUNCTION audit_remove_packages(packages uuid[], at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    going uuid[];
    removed bigint;
    rows_removed bigint;
BEGIN
    IF NOT authz.may('privacy.manage') THEN
        RAISE EXCEPTION 'a package is removed by who manages privacy' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT coalesce(array_agg(p.id), '{{}}') INTO going
      FROM public.audit_accesspackage p
      JOIN public.audit_erasurerequest r ON r.tenant_id = p.tenant_id AND r.id = p.request_id
     WHERE p.tenant_id = tenant AND p.id = ANY (packages) AND (
           p.expires_at <= clock_timestamp()
        OR r.state NOT IN ('inventory_ready', 'completed')
        -- What was known of the person is destroyed: so is what was made of it.
        OR NOT EXISTS (SELECT FROM public.audit_datakey d WHERE d.tenant_id = tenant AND d.id = r.data_key_id)
        OR tenant IN (SELECT public.audit_removal_targets('tenant'))
        OR p.scope_ids && ARRAY(SELECT public.audit_removal_targets('scope'))
        OR EXISTS (
           SELECT FROM public.audit_inventoryhit h
            WHERE h.tenant_id = tenant AND h.request_id = p.request_id AND h.decision = 'confirmed'
              AND (h.target_type = 'document' AND h.target_id IN (SELECT public.audit_removal_targets('document'))
                OR h.target_type = 'user' AND h.target_id IN (SELECT public.audit_removal_targets('user'))
                OR h.target_type = 'event_group'
                   AND h.target_id IN (SELECT public.audit_removal_targets('event_group')))));
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id = ANY (ARRAY(
           SELECT d.id FROM public.audit_datakey d
             JOIN public.audit_accesspackage p ON p.tenant_id = d.tenant_id AND p.data_key_id = d.id
            WHERE d.tenant_id = tenant AND d.subject_id = p.id AND p.id = ANY (going) LIMIT at_most));
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM public.audit_accesspackage p
     WHERE p.tenant_id = tenant AND p.id = ANY (ARRAY(
           SELECT c.id FROM public.audit_accesspackage c
            WHERE c.tenant_id = tenant AND c.id = ANY (going)
              AND NOT EXISTS (SELECT FROM public.audit_datakey d WHERE d.tenant_id = tenant AND d.id = c.data_key_id)
            LIMIT at_most - removed));
    GET DIAGNOSTICS rows_removed = ROW_COUNT;
    RETURN removed + rows_removed;
END
$$;

-- The key of a request for access that has ended: what it sealed of the person can't be read by anybody then.
CREATE FUNCTION audit_forget_access(request uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    its_key uuid;
    removed bigint;
BEGIN
    IF NOT authz.may('privacy.manage') THEN
        RAISE EXCEPTION 'a request is forgotten by who manages privacy' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT r.data_key_id INTO its_key FROM public.audit_erasurerequest r
     WHERE r.tenant_id = tenant AND r.id = audit_forget_access.request AND r.purpose = 'access'
       AND r.state IN {_ENDED}
       AND NOT EXISTS (SELECT FROM public.audit_letter l
                        WHERE l.tenant_id = tenant AND l.request_id = r.id AND l.state <> 'sent');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the request has not ended, or a letter of it is not sent' USING ERRCODE = 'check_violation';
    END IF;
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id = its_key AND k.subject_id = audit_forget_access.request;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed > 0;
END
$$;
REVOKE ALL ON FUNCTION audit_remove_packages(uuid[], integer), audit_forget_access(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_remove_packages(uuid[], integer), audit_forget_access(uuid)
    TO glassbox_api, glassbox_worker, glassbox_eraser;
GRANT SELECT (tenant_id, id, request_id, data_key_id, scope_ids, expires_at), DELETE ON audit_accesspackage
    TO glassbox_remover;
CREATE POLICY removal ON audit_accesspackage AS PERMISSIVE FOR ALL TO glassbox_remover
    USING ({TENANT}) WITH CHECK ({TENANT});
CREATE POLICY removal_floor ON audit_accesspackage AS RESTRICTIVE FOR ALL TO PUBLIC
    USING ({TENANT}) WITH CHECK ({TENANT});
GRANT SELECT (purpose) ON audit_erasurerequest TO glassbox_remover;
GRANT SELECT (tenant_id, request_id, target_type, target_id, decision) ON audit_inventoryhit TO glassbox_remover;
CREATE POLICY removal ON audit_inventoryhit AS PERMISSIVE FOR SELECT TO glassbox_remover USING ({TENANT});
CREATE POLICY removal_floor ON audit_inventoryhit AS RESTRICTIVE FOR SELECT TO PUBLIC USING ({TENANT});
-- What the store of packages counts and names; no word of a person.
GRANT SELECT (id, tenant_id, request_id, scope_ids, data_key_id) ON audit_accesspackage TO glassbox_eraser;
GRANT SELECT (purpose, data_key_id) ON audit_erasurerequest TO glassbox_eraser;
GRANT SELECT (tenant_id, request_id, state) ON audit_letter TO glassbox_eraser;
"""  # noqa: S608 (constants)

BACKWARD = """
REVOKE SELECT (tenant_id, request_id, state) ON audit_letter FROM glassbox_eraser;
REVOKE SELECT (purpose, data_key_id) ON audit_erasurerequest FROM glassbox_eraser;
REVOKE ALL ON audit_accesspackage FROM glassbox_eraser;
DROP POLICY removal_floor ON audit_inventoryhit;
DROP POLICY removal ON audit_inventoryhit;
REVOKE ALL ON audit_inventoryhit FROM glassbox_remover;
REVOKE SELECT (purpose) ON audit_erasurerequest FROM glassbox_remover;
DROP POLICY removal_floor ON audit_accesspackage;
DROP POLICY removal ON audit_accesspackage;
REVOKE ALL ON audit_accesspackage FROM glassbox_remover;
DROP FUNCTION audit_forget_access(uuid);
DROP FUNCTION audit_remove_packages(uuid[], integer);
DROP TRIGGER audit_accesspackage_no_truncate ON audit_accesspackage;
DROP TRIGGER audit_accesspackage_step ON audit_accesspackage;
DROP FUNCTION audit_accesspackage_step();
DROP TRIGGER audit_access_step ON audit_erasurerequest;
DROP FUNCTION audit_access_step();
"""
