"""The one way to remove: audit_erase, for groups that a sealed event names.

The function belongs to glassbox_remover once `manage.py migrate` has handed it over (apps/tenants/provision.py, settle):
a role that nobody logs in as or is a member of. The triggers let that role through, and nobody else: until it is handed
over, the function fails.
"""

from django.db import migrations

_KEPT = """
    CREATE FUNCTION audit_payload_is_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND current_user = 'glassbox_remover' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END
    $$;
    CREATE FUNCTION audit_event_is_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        -- The name beside the event goes with its actor group; nothing else of a row ever changes.
        IF TG_OP = 'UPDATE' AND current_user = 'glassbox_remover' THEN
            IF NEW.actor_label = '' AND to_jsonb(NEW) - 'actor_label' = to_jsonb(OLD) - 'actor_label' THEN
                RETURN NEW;
            END IF;
        END IF;
        RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END
    $$;
    DROP TRIGGER audit_payload_append_only ON audit_payload;
    CREATE TRIGGER audit_payload_append_only BEFORE UPDATE OR DELETE ON audit_payload
        FOR EACH ROW EXECUTE FUNCTION audit_payload_is_kept();
    DROP TRIGGER audit_event_append_only ON audit_event;
    CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
        FOR EACH ROW EXECUTE FUNCTION audit_event_is_kept();
"""
_UNKEPT = """
    DROP TRIGGER audit_event_append_only ON audit_event;
    CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
        FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();
    DROP TRIGGER audit_payload_append_only ON audit_payload;
    CREATE TRIGGER audit_payload_append_only BEFORE UPDATE OR DELETE ON audit_payload
        FOR EACH ROW EXECUTE FUNCTION audit_event_is_append_only();
    DROP FUNCTION audit_event_is_kept();
    DROP FUNCTION audit_payload_is_kept();
"""

# What names a removal is a term of the core of the event that authorises it (apps/audit/terms.py): written in the very
# statement that writes the event, and unchangeable since. The core itself says the same, sealed; a verifier goes by it.
_ERASE = """
    CREATE FUNCTION audit_erase(event uuid, field_group text, authorising_event uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        tenant uuid := authz.tenant();
        place bigint;
        action text;
        is_gone boolean;
    BEGIN
        SELECT l.index, e.action INTO place, action
          FROM public.audit_event e JOIN public.audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id
         WHERE e.tenant_id = tenant AND e.id = audit_erase.event;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nothing is removed: the event is not there, or has no leaf yet'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF action = 'audit.payload.erased' AND audit_erase.field_group = 'core' THEN
            RAISE EXCEPTION 'nothing is removed: what authorises removals stays' USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT EXISTS (
            SELECT FROM public.audit_event e
              JOIN public.audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id
              JOIN public.audit_payload p ON p.tenant_id = e.tenant_id AND p.event_id = e.id
             WHERE e.tenant_id = tenant AND e.id = audit_erase.authorising_event AND e.action = 'audit.payload.erased'
               AND l.index > place AND p.field_group = 'core'
               AND 'removal:' || audit_erase.event::text || ':' || audit_erase.field_group = ANY (p.terms)
        ) THEN
            RAISE EXCEPTION 'nothing is removed: no event that authorises it is sealed after it'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        DELETE FROM public.audit_payload p
         WHERE p.tenant_id = tenant AND p.event_id = audit_erase.event AND p.field_group = audit_erase.field_group;
        is_gone := FOUND;
        IF audit_erase.field_group = 'actor' THEN
            UPDATE public.audit_event e SET actor_label = ''
             WHERE e.tenant_id = tenant AND e.id = audit_erase.event AND e.actor_label <> '';
            is_gone := is_gone OR FOUND;
        END IF;
        RETURN is_gone;
    END
    $$;
    REVOKE ALL ON FUNCTION audit_erase(uuid, text, uuid) FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION audit_erase(uuid, text, uuid) TO glassbox_eraser;
    GRANT SELECT ON audit_event, audit_payload, audit_leaf TO glassbox_remover;
    GRANT DELETE ON audit_payload TO glassbox_remover;
    GRANT UPDATE (actor_label) ON audit_event TO glassbox_remover;
    -- What the eraser needs to open a scope, and to see what it is to remove; not a ciphertext, nor a key.
    GRANT SELECT ON tenants_tenant, tenants_scope, audit_event, audit_leaf TO glassbox_eraser;
    GRANT SELECT (id, tenant_id, event_id, scope_ids, field_group, terms) ON audit_payload TO glassbox_eraser;
"""
_UNERASE = """
    REVOKE SELECT ON tenants_tenant, tenants_scope, audit_event, audit_leaf FROM glassbox_eraser;
    REVOKE SELECT (id, tenant_id, event_id, scope_ids, field_group, terms) ON audit_payload FROM glassbox_eraser;
    REVOKE UPDATE (actor_label) ON audit_event FROM glassbox_remover;
    REVOKE DELETE ON audit_payload FROM glassbox_remover;
    REVOKE SELECT ON audit_event, audit_payload, audit_leaf FROM glassbox_remover;
    DROP FUNCTION audit_erase(uuid, text, uuid);
"""

# Its twins are the floors of the tables, which are for everybody: the function, too, works within the open scope.
_TENANT = "tenant_id = (SELECT authz.tenant())"
_POLICIES = {
    "audit_event": f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]",
    "audit_payload": f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]",
    "audit_leaf": _TENANT,
}


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_log"), ("tenants", "0003_wall")]

    operations = [
        migrations.RunSQL(sql=_KEPT, reverse_sql=_UNKEPT),
        migrations.RunSQL(sql=_ERASE, reverse_sql=_UNERASE),
        *(
            migrations.RunSQL(
                sql=f"CREATE POLICY removal ON {table} AS PERMISSIVE FOR ALL TO glassbox_remover "
                f"USING ({predicate}) WITH CHECK ({predicate})",
                reverse_sql=f"DROP POLICY removal ON {table}",
            )
            for table, predicate in _POLICIES.items()
        ),
    ]
