-- How a tenant ends: its log is emptied, its keys are destroyed, and what kept its rows from everybody lets them go.
--
-- Three functions of glassbox_remover's, called by glassbox_eraser alone, and by it only while a run of removals that
-- names the very tenant is being carried out. The log is emptied, and its keys are destroyed, by a sealed event which
-- says so: audit.log.emptied. It is the eraser's, too, and for such a run (recording.sql): a verifier believes it, and
-- so nobody else may write it.

-- Rows of tables that keep theirs from everybody (a TenantStore has them), the newest first: what points at others goes
-- before them. Returns how many went, at most so many.
CREATE FUNCTION audit_remove_of_tenant(relation text, at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    removed bigint;
BEGIN
    IF NOT (tenant IN (SELECT public.audit_removal_targets('tenant'))) THEN
        RAISE EXCEPTION 'nothing of the tenant is removed: no run that is carried out names it'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_policies
                    WHERE schemaname = 'public' AND tablename = relation AND policyname = 'end_of_tenant') THEN
        RAISE EXCEPTION 'rows of % do not go with their tenant', relation USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF relation IN ('audit_legalhold', 'audit_helditem', 'audit_restriction') AND EXISTS (
        SELECT FROM public.audit_helditem i
          JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
         WHERE i.tenant_id = tenant AND h.released_at IS NULL) THEN
        RAISE EXCEPTION 'nothing is removed: something of the tenant is held' USING ERRCODE = 'restrict_violation';
    END IF;
    EXECUTE format(
        'DELETE FROM public.%1$I t WHERE t.tenant_id = $1 AND t.id = ANY (ARRAY('
        'SELECT c.id FROM public.%1$I c WHERE c.tenant_id = $1 ORDER BY c.id DESC LIMIT $2))', relation)
        USING tenant, at_most;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;

-- What events before the authorising one say beyond their header, but for what is held. Returns how many parts.
CREATE FUNCTION audit_empty_log(authorising_event uuid, at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    place bigint;
    its_key uuid;
    removed bigint;
BEGIN
    IF NOT (tenant IN (SELECT public.audit_removal_targets('tenant'))) THEN
        RAISE EXCEPTION 'nothing of the tenant is removed: no run that is carried out names it'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT l.index, p.data_key_id INTO place, its_key
      FROM public.audit_event e
      JOIN public.audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id
      JOIN public.audit_payload p ON p.tenant_id = e.tenant_id AND p.event_id = e.id AND p.field_group = 'core'
     WHERE e.tenant_id = tenant AND e.id = authorising_event AND e.action = 'audit.log.emptied';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the log is not emptied: no sealed event says so' USING ERRCODE = 'insufficient_privilege';
    END IF;
    WITH chosen AS (
        SELECT p.id, p.event_id, p.field_group
          FROM public.audit_payload p
          JOIN public.audit_leaf l ON l.tenant_id = p.tenant_id AND l.event_id = p.event_id
         WHERE p.tenant_id = tenant AND l.index < place
           AND NOT EXISTS (
               SELECT FROM public.audit_helditem i
                 JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
                WHERE i.tenant_id = tenant AND h.released_at IS NULL
                  AND i.type = 'event_group' AND i.item_id = p.event_id AND i.part = p.field_group)
         LIMIT at_most
    ), gone AS (
        DELETE FROM public.audit_payload p USING chosen c WHERE p.tenant_id = tenant AND p.id = c.id
        RETURNING p.event_id, p.field_group
    ), nameless AS (
        UPDATE public.audit_event e SET actor_label = '' FROM gone g
         WHERE g.field_group = 'actor' AND e.tenant_id = tenant AND e.id = g.event_id AND e.actor_label <> ''
    )
    SELECT count(*) INTO removed FROM gone;
    RETURN removed;
END
$$;

-- Every key but the one that seals the authorising event, and those that what is there still is sealed by. That nothing
-- else is sealed by a key that goes is the foreign key's to say, also of what is being written meanwhile.
CREATE FUNCTION audit_destroy_keys(authorising_event uuid) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    place bigint;
    its_key uuid;
    removed bigint;
BEGIN
    IF NOT (tenant IN (SELECT public.audit_removal_targets('tenant'))) THEN
        RAISE EXCEPTION 'nothing of the tenant is removed: no run that is carried out names it'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT l.index, p.data_key_id INTO place, its_key
      FROM public.audit_event e
      JOIN public.audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id
      JOIN public.audit_payload p ON p.tenant_id = e.tenant_id AND p.event_id = e.id AND p.field_group = 'core'
     WHERE e.tenant_id = tenant AND e.id = authorising_event AND e.action = 'audit.log.emptied';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the log is not emptied: no sealed event says so' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF EXISTS (
        SELECT FROM public.audit_helditem i
          JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
         WHERE i.tenant_id = tenant AND h.released_at IS NULL) THEN
        RAISE EXCEPTION 'no key is destroyed: something of the tenant is held' USING ERRCODE = 'restrict_violation';
    END IF;
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id <> its_key
       AND NOT EXISTS (SELECT FROM public.audit_payload p WHERE p.tenant_id = tenant AND p.data_key_id = k.id);
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed;
END
$$;
REVOKE ALL ON FUNCTION audit_remove_of_tenant(text, integer), audit_empty_log(uuid, integer), audit_destroy_keys(uuid)
    FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_remove_of_tenant(text, integer), audit_empty_log(uuid, integer),
    audit_destroy_keys(uuid) TO glassbox_eraser;
