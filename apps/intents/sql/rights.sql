-- Who proposes the removal of a document, by the policy in force: the same as apps/corpus/services/ingest/kind.py, for
-- every process that writes in a person's or a key's name. What the policy does not know is not held here: it has no rule
-- for it. Who files and corrects documents: correcting.sql.
--
-- For a request, and by the retention schedule, the data protection officer proposes what has to go, whatever its kind:
-- for a request that is there and not over, and a purge that is there. What kind a document is of, only who sees it can
-- tell: nobody else proposes its removal where a policy names who does.
CREATE FUNCTION intents_removal_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    held record;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM added JOIN public.audit_removalrun run ON run.tenant_id = added.tenant_id AND run.id = added.run_id
         WHERE added.type = 'document'
           AND NOT (run.origin = 'purge' AND EXISTS (
               SELECT FROM public.audit_purge purge
                WHERE purge.tenant_id = run.tenant_id AND purge.id = run.origin_id))
           AND NOT (run.origin = 'request' AND EXISTS (
               SELECT FROM public.audit_erasurerequest request
                WHERE request.tenant_id = run.tenant_id AND request.id = run.origin_id
                  AND request.state NOT IN ('completed', 'partially_completed', 'refused', 'withdrawn')))
           AND NOT EXISTS (SELECT FROM public.corpus_document document
                            WHERE document.tenant_id = added.tenant_id AND document.id = added.item_id)
           AND EXISTS (SELECT FROM public.intents_kindbudget budget
                        WHERE budget.tenant_id = added.tenant_id AND budget.removers <> '{}'
                          AND budget.version_id = public.intents_in_force(added.tenant_id))
    ) THEN
        RAISE EXCEPTION 'the removal of a document is proposed by who sees it' USING ERRCODE = 'insufficient_privilege';
    END IF;
    FOR held IN SELECT budget.kind, budget.removers
                  FROM added
                  JOIN public.audit_removalrun run ON run.tenant_id = added.tenant_id AND run.id = added.run_id
                  JOIN public.corpus_document document
                    ON document.tenant_id = added.tenant_id AND document.id = added.item_id
                  JOIN public.intents_kindbudget budget
                    ON budget.tenant_id = added.tenant_id AND budget.kind = document.kind
                 WHERE added.type = 'document' AND budget.removers <> '{}'
                   AND NOT (run.origin = 'purge' AND EXISTS (
                       SELECT FROM public.audit_purge purge
                        WHERE purge.tenant_id = run.tenant_id AND purge.id = run.origin_id))
                   AND NOT (run.origin = 'request' AND EXISTS (
                       SELECT FROM public.audit_erasurerequest request
                        WHERE request.tenant_id = run.tenant_id AND request.id = run.origin_id
                          AND request.state NOT IN ('completed', 'partially_completed', 'refused', 'withdrawn')))
                   AND budget.version_id = public.intents_in_force(added.tenant_id) LOOP
        IF NOT EXISTS (SELECT FROM unnest(held.removers) role WHERE authz.may('role:' || role)) THEN
            RAISE EXCEPTION 'the policy in force lets only % propose the removal of documents of the kind %',
                array_to_string(held.removers, ', '), held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER intents_removal_held AFTER INSERT ON audit_removaltarget REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION intents_removal_held();
