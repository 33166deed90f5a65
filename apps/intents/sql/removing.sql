-- Who proposes the removal of what: as rights.sql has it for documents, and of all that is in a scope or in the tenant.
-- Whoever proposes to end one, and not for a request that is there and not over, may propose the removal of each kind.

CREATE FUNCTION intents_removal_of_all_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NULL;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a removal is proposed by a transaction that sees which policy comes into force meanwhile'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT budget.kind, budget.removers INTO held
      FROM added
      JOIN public.audit_removalrun run ON run.tenant_id = added.tenant_id AND run.id = added.run_id
      JOIN public.intents_kindbudget budget
        ON budget.tenant_id = added.tenant_id AND budget.removers <> '{}'
       AND budget.version_id = public.intents_in_force(added.tenant_id)
     WHERE added.type IN ('scope', 'tenant')
       AND NOT (run.origin = 'request' AND EXISTS (
           SELECT FROM public.audit_erasurerequest request
            WHERE request.tenant_id = run.tenant_id AND request.id = run.origin_id
              AND request.state NOT IN ('completed', 'partially_completed', 'refused', 'withdrawn')))
       AND NOT EXISTS (SELECT FROM unnest(budget.removers) role WHERE authz.may('role:' || role))
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'the policy in force lets only % propose the removal of documents of the kind %',
            array_to_string(held.removers, ', '), held.kind
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER intents_removal_of_all_held AFTER INSERT ON audit_removaltarget REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION intents_removal_of_all_held();
