-- Who corrects what is said of a document, and who proposes its removal, by the policy in force: the same as
-- apps/corpus/services/ingest/kind.py, for every process that writes in a person's or a key's name. What the policy
-- does not know is not held here: it has no rule for it.

-- A version whose time has come is in force before anything records it (apps/intents/standing.py).
CREATE FUNCTION intents_version_in_force(of_tenant uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT version.id FROM public.intents_policyversion version
     WHERE version.tenant_id = of_tenant AND (version.status = 'active'
        OR (version.status = 'approved' AND version.effective_from <= statement_timestamp()))
     ORDER BY version.status = 'approved' DESC, version.effective_from DESC, version.number DESC LIMIT 1
$$;

-- A document's kind decides which questions reach it. So whoever gives it another one, or replaces it by a document of
-- another one, has the right for both. A change of the row, and a next version of the same bytes, is a correction;
-- other bytes are an upload. Where no correctors are named, those who upload the kind correct it.
CREATE FUNCTION intents_right_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force uuid;
    touched varchar[] := ARRAY[NEW.kind];
    corrects boolean := TG_OP = 'UPDATE';
    held record;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- What a reading of the file finds is written by the job, in the name of who brought it.
        IF (current_user = 'glassbox_worker' OR authz.may('job.run')) AND NEW.kind = OLD.kind THEN
            RETURN NEW;
        END IF;
        touched := touched || OLD.kind;
    ELSE
        SELECT touched || coalesce(array_agg(earlier.kind), '{}'),
               coalesce(bool_or(earlier.content_sha256 = NEW.content_sha256), false)
          INTO touched, corrects
          FROM public.corpus_document earlier
         WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
           AND earlier.series_id = NEW.series_id AND earlier.status NOT IN ('superseded', 'failed');
    END IF;
    in_force := public.intents_version_in_force(NEW.tenant_id);
    FOR held IN SELECT budget.kind, budget.retired,
                       CASE WHEN corrects AND budget.correctors <> '{}' THEN budget.correctors
                            ELSE budget.uploaders END AS roles
                  FROM public.intents_kindbudget budget
                 WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = in_force
                   AND budget.kind = ANY (touched) LOOP
        IF held.retired AND held.kind = NEW.kind AND (TG_OP = 'INSERT' OR NEW.kind <> OLD.kind) THEN
            RAISE EXCEPTION 'the kind % is retired: nothing more is uploaded as such', held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF held.roles <> '{}' AND NOT EXISTS (SELECT FROM unnest(held.roles) role WHERE authz.may('role:' || role)) THEN
            RAISE EXCEPTION 'the policy in force lets only % % documents of the kind %',
                array_to_string(held.roles, ', '), CASE WHEN corrects THEN 'correct' ELSE 'file' END, held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN NEW;
END
$$;

CREATE TRIGGER intents_right_held_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION intents_right_held();
CREATE TRIGGER intents_right_held_update BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (
        (NEW.kind, NEW.title, NEW.company, NEW.ticker, NEW.document_type, NEW.source_type, NEW.fiscal_year,
         NEW.fiscal_quarter, NEW.published_on, NEW.language, NEW.jurisdictions, NEW.external_id)
        IS DISTINCT FROM
        (OLD.kind, OLD.title, OLD.company, OLD.ticker, OLD.document_type, OLD.source_type, OLD.fiscal_year,
         OLD.fiscal_quarter, OLD.published_on, OLD.language, OLD.jurisdictions, OLD.external_id)
    ) EXECUTE FUNCTION intents_right_held();

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
         WHERE run.origin = 'removal' AND added.type = 'document'
           AND NOT EXISTS (SELECT FROM public.corpus_document document
                            WHERE document.tenant_id = added.tenant_id AND document.id = added.item_id)
           AND EXISTS (SELECT FROM public.intents_kindbudget budget
                        WHERE budget.tenant_id = added.tenant_id AND budget.removers <> '{}'
                          AND budget.version_id = public.intents_version_in_force(added.tenant_id))
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
                   AND budget.version_id = public.intents_version_in_force(added.tenant_id) LOOP
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
