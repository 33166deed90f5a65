-- Who files a document of a kind, by the policy in force: the same as apps/corpus/services/ingest/kind.py, for every
-- process that writes in a person's or a key's name. Who may upload a kind may also correct what is said of its
-- documents. What the policy does not know is not held here: it has no rule for it.
--
-- A version whose time has come is in force before anything records it (apps/intents/standing.py).
-- Its kind decides which questions reach a document. So whoever gives it another one, or replaces it by a document of
-- another one, may upload both.
CREATE FUNCTION intents_kind_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force uuid;
    touched varchar[] := ARRAY[NEW.kind];
    held record;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- What a reading of the file finds is written by the worker, in the name of who brought it.
        IF current_user = 'glassbox_worker' AND NEW.kind = OLD.kind THEN
            RETURN NEW;
        END IF;
        touched := touched || OLD.kind;
    ELSE
        touched := touched || ARRAY(
            SELECT earlier.kind FROM public.corpus_document earlier
             WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
               AND earlier.series_id = NEW.series_id AND earlier.status NOT IN ('superseded', 'failed'));
    END IF;
    SELECT version.id INTO in_force FROM public.intents_policyversion version
     WHERE version.tenant_id = NEW.tenant_id AND (version.status = 'active'
        OR (version.status = 'approved' AND version.effective_from <= statement_timestamp()))
     ORDER BY version.status = 'approved' DESC, version.effective_from DESC, version.number DESC LIMIT 1;
    FOR held IN SELECT budget.kind, budget.uploaders, budget.retired FROM public.intents_kindbudget budget
                 WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = in_force
                   AND budget.kind = ANY (touched) LOOP
        IF held.retired AND held.kind = NEW.kind AND (TG_OP = 'INSERT' OR NEW.kind <> OLD.kind) THEN
            RAISE EXCEPTION 'the kind % is retired: nothing more is uploaded as such', held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF held.uploaders <> '{}'
            AND NOT EXISTS (SELECT FROM unnest(held.uploaders) role WHERE authz.may('role:' || role)) THEN
            RAISE EXCEPTION 'the policy in force lets only % file documents of the kind %',
                array_to_string(held.uploaders, ', '), held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_kind_held_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION intents_kind_held();
CREATE TRIGGER intents_kind_held_update BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (
        (NEW.kind, NEW.title, NEW.company, NEW.ticker, NEW.document_type, NEW.source_type, NEW.fiscal_year,
         NEW.fiscal_quarter, NEW.published_on, NEW.language, NEW.jurisdictions, NEW.external_id)
        IS DISTINCT FROM
        (OLD.kind, OLD.title, OLD.company, OLD.ticker, OLD.document_type, OLD.source_type, OLD.fiscal_year,
         OLD.fiscal_quarter, OLD.published_on, OLD.language, OLD.jurisdictions, OLD.external_id)
    ) EXECUTE FUNCTION intents_kind_held();
