-- The one way to remove: audit_erase, for groups that a sealed event names, and that nothing holds.
--
-- The function belongs to glassbox_remover once `manage.py migrate` has handed it over (apps/tenants/provision.py,
-- settle). The triggers of log.sql let that role through, and nobody else: until it is handed over, the function fails.

-- What names a removal is a term of the core of the event that authorises it (apps/audit/terms.py): written in the very
-- statement that writes the event, and unchangeable since. The core itself says the same, sealed; a verifier goes by
-- it.
CREATE FUNCTION audit_erase(event uuid, field_group text, authorising_event uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    place bigint;
    action text;
    is_gone boolean;
    hold uuid;
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

    SELECT h.id INTO hold
      FROM public.audit_helditem i JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
     WHERE i.tenant_id = tenant AND i.type = 'event_group' AND i.item_id = audit_erase.event
       AND i.part = audit_erase.field_group AND h.released_at IS NULL
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'nothing is removed: it is held, hold:%', hold USING ERRCODE = 'restrict_violation';
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
GRANT SELECT (tenant_id, id, subject_id), DELETE ON audit_datakey TO glassbox_remover;
-- Their twins are the floors of the tables, which are for everybody: the function, too, works within the open scope.
CREATE POLICY removal ON audit_event AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[])
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY removal ON audit_payload AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[])
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY removal ON audit_leaf AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));
CREATE POLICY removal ON audit_datakey AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));

-- What the eraser needs to open a scope, to see what it is to remove, and to record what it does; not a ciphertext. By
-- which key a part is sealed tells what is to go from what is recorded after it.
GRANT SELECT ON tenants_tenant, tenants_scope, audit_event, audit_leaf TO glassbox_eraser;
GRANT SELECT (id, tenant_id, event_id, scope_ids, field_group, terms, data_key_id) ON audit_payload TO glassbox_eraser;
GRANT SELECT, INSERT ON audit_datakey TO glassbox_eraser;
-- The policy of tenants asks it, also where it is the clock that goes through all of them.
GRANT SELECT (tenant_id, user_id) ON tenants_membership TO glassbox_eraser;
