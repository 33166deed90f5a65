-- Who proposes a removal, as rights.sql and removing.sql say, with what excepts a run from it stated once.

-- Whether a run is proposed for a request for erasure that is there and not over: what has to go then goes whatever its
-- kind.
CREATE OR REPLACE FUNCTION intents_removal_is_asked_for(run public.audit_removalrun) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT run.origin = 'request' AND EXISTS (
        SELECT FROM public.audit_erasurerequest request
         WHERE request.tenant_id = run.tenant_id AND request.id = run.origin_id
           AND request.state NOT IN ('completed', 'partially_completed', 'refused', 'withdrawn'))
$$;

-- Whether it is proposed by the retention schedule, for a purge that is there.
CREATE OR REPLACE FUNCTION intents_removal_is_due(run public.audit_removalrun) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT run.origin = 'purge' AND EXISTS (
        SELECT FROM public.audit_purge purge WHERE purge.tenant_id = run.tenant_id AND purge.id = run.origin_id)
$$;

CREATE OR REPLACE FUNCTION intents_removal_held() RETURNS trigger
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
           AND NOT public.intents_removal_is_due(run)
           AND NOT public.intents_removal_is_asked_for(run)
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
                   AND NOT public.intents_removal_is_due(run)
                   AND NOT public.intents_removal_is_asked_for(run)
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

CREATE OR REPLACE FUNCTION intents_removal_of_all_held() RETURNS trigger
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
       AND NOT public.intents_removal_is_asked_for(run)
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
