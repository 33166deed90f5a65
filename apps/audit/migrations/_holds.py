"""What the database itself holds about holds and restrictions: who places them, and what they keep from happening."""

from importlib import import_module

TENANT = "tenant_id = (SELECT authz.tenant())"
_MAY = "(SELECT authz.may('{}'))"
MANAGES = _MAY.format("privacy.manage")
_APPROVES = _MAY.format("privacy.approve")
# glassbox_remover owns the functions below, which answer for readers who may not see these tables.
READ = (
    f"USING ({TENANT} AND (CURRENT_USER = 'glassbox_remover' OR {MANAGES} OR {_APPROVES} "
    f"OR {_MAY.format('audit.view')}))"
)
DECIDES = f"({MANAGES} OR {_APPROVES})"
_OPEN = "EXISTS (SELECT FROM audit_legalhold h WHERE h.tenant_id = {0}.tenant_id AND h.id = {0}.{1} AND {2})"
OPEN_HOLD = _OPEN.format("audit_helditem", "hold_id", "h.released_at IS NULL")
# A document is restricted for as long as the hold on it lasts: nobody lifts that before.
LIFTABLE = f"(because <> 'hold' OR {_OPEN.format('audit_restriction', 'because_id', 'h.released_at IS NOT NULL')})"

# Three questions that policies ask, once a statement, for roles that may not read the tables; of the open scope's scopes
# alone, since the answer is a list of ids that whoever has SQL can call for.
FUNCTIONS = """
    CREATE FUNCTION restricted_documents() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        scopes uuid[] := authz.scopes();
    BEGIN
        RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r WHERE r.scope_id = ANY (scopes));
    END
    $$;
    -- The same, and none for who decides about them.
    CREATE FUNCTION hidden_documents() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        scopes uuid[];
    BEGIN
        IF authz.may('privacy.manage') OR authz.may('privacy.approve') THEN
            RETURN '{}';
        END IF;
        scopes := authz.scopes();
        RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r WHERE r.scope_id = ANY (scopes));
    END
    $$;
    CREATE FUNCTION held_documents() RETURNS uuid[]
    LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        scopes uuid[] := authz.scopes();
    BEGIN
        RETURN ARRAY(SELECT DISTINCT r.document_id FROM public.audit_restriction r
                      WHERE r.scope_id = ANY (scopes) AND r.because = 'hold');
    END
    $$;
    REVOKE ALL ON FUNCTION restricted_documents(), hidden_documents(), held_documents() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION restricted_documents(), hidden_documents(), held_documents()
        TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser;
    GRANT SELECT ON audit_legalhold, audit_helditem, audit_restriction TO glassbox_remover, glassbox_eraser;
    GRANT DELETE ON audit_restriction TO glassbox_eraser;
"""
NO_FUNCTIONS = """
    REVOKE DELETE ON audit_restriction FROM glassbox_eraser;
    REVOKE SELECT ON audit_legalhold, audit_helditem, audit_restriction FROM glassbox_remover, glassbox_eraser;
    DROP FUNCTION restricted_documents();
    DROP FUNCTION hidden_documents();
    DROP FUNCTION held_documents();
"""

# The function of migration 0004, which refuses what is held besides. It is dropped, not replaced: that the owner of the
# schema may, when the function belongs to glassbox_remover already.
_DROP = "DROP FUNCTION audit_erase(uuid, text, uuid);"
_MADE = import_module("apps.audit.migrations.0004_erase")._ERASE.split("REVOKE ALL ON FUNCTION", 1)[0]
_GRANTED = (
    "REVOKE ALL ON FUNCTION audit_erase(uuid, text, uuid) FROM PUBLIC; "
    "GRANT EXECUTE ON FUNCTION audit_erase(uuid, text, uuid) TO glassbox_eraser;"
)
_REMOVES = "DELETE FROM public.audit_payload p"
_REFUSES = """
        SELECT h.id INTO hold
          FROM public.audit_helditem i JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
         WHERE i.tenant_id = tenant AND i.type = 'event_group' AND i.item_id = audit_erase.event
           AND i.part = audit_erase.field_group AND h.released_at IS NULL
         LIMIT 1;
        IF FOUND THEN
            RAISE EXCEPTION 'nothing is removed: it is held, hold:%', hold USING ERRCODE = 'restrict_violation';
        END IF;
        """
if _MADE.count(_REMOVES) != 1 or _MADE.count("is_gone boolean;") != 1:
    raise RuntimeError("migration 0004 is not what this one builds upon")
ERASE = (
    _DROP
    + _MADE.replace("is_gone boolean;", "is_gone boolean;\n        hold uuid;").replace(_REMOVES, _REFUSES + _REMOVES)
    + _GRANTED
)
ERASE_BEFORE = _DROP + _MADE + _GRANTED
