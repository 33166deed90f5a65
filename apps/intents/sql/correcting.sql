-- Who files a document of a kind, and who corrects what is said of one, by the policy in force: the same as
-- apps/corpus/services/ingest/kind.py. What the policy does not know is not held here: it has no rule for it.
--
-- A document's kind decides which questions reach it. So whoever gives it another one, or replaces it by a document of
-- another one, has the right for both. A change of the row, and a next version of the same bytes, is a correction; other
-- bytes are an upload. Where no correctors are named, those who upload the kind correct it. A version that failed is
-- replaced like another: started again, it would find the next one in its place.
--
-- Which fields a reading leaves alone is said of a document too. A worker without a job is whoever it acts for. The same
-- bytes under another file name may be read as another format: that is a correction and an upload. And nothing is
-- written by a policy, or into a series, that another transaction has changed since.

CREATE FUNCTION intents_correction_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force uuid;
    touched varchar[] := ARRAY[NEW.kind];
    doings text[] := '{correct}';
    held record;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        -- What a reading of the file finds is written by the job, in the name of who brought it.
        IF authz.may('job.run') AND NEW.kind = OLD.kind THEN
            RETURN NEW;
        END IF;
        touched := touched || OLD.kind;
    END IF;
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a document is written by a transaction that sees which policy comes into force meanwhile'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' THEN
        -- Versions of one series take turns: two at once would not see each other.
        PERFORM pg_advisory_xact_lock(hashtext('versions of a document'), hashtext(NEW.series_id::text));
        SELECT touched || coalesce(array_agg(earlier.kind), '{}'),
               array_remove(ARRAY[
                   CASE WHEN bool_or(earlier.content_sha256 = NEW.content_sha256) THEN 'correct' END,
                   CASE WHEN bool_or((earlier.content_sha256, earlier.filename) = (NEW.content_sha256, NEW.filename))
                        IS NOT TRUE THEN 'file' END], NULL)
          INTO touched, doings
          FROM public.corpus_document earlier
         WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
           AND earlier.series_id = NEW.series_id AND earlier.status <> 'superseded';
    END IF;
    in_force := public.intents_in_force(NEW.tenant_id);
    FOR held IN SELECT budget.kind, budget.retired, doing,
                       CASE WHEN doing = 'correct' AND budget.correctors <> '{}' THEN budget.correctors
                            ELSE budget.uploaders END AS roles
                  FROM public.intents_kindbudget budget, unnest(doings) doing
                 WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = in_force
                   AND budget.kind = ANY (touched) LOOP
        IF held.retired AND held.kind = NEW.kind AND (TG_OP = 'INSERT' OR NEW.kind <> OLD.kind) THEN
            RAISE EXCEPTION 'the kind % is retired: nothing more is uploaded as such', held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF held.roles <> '{}' AND NOT EXISTS (SELECT FROM unnest(held.roles) role WHERE authz.may('role:' || role)) THEN
            RAISE EXCEPTION 'the policy in force lets only % % documents of the kind %',
                array_to_string(held.roles, ', '), held.doing, held.kind
                USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    RETURN NEW;
END
$$;

CREATE TRIGGER intents_correction_held_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION intents_correction_held();
CREATE TRIGGER intents_correction_held_update BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (
        (NEW.kind, NEW.title, NEW.company, NEW.ticker, NEW.document_type, NEW.source_type, NEW.fiscal_year,
         NEW.fiscal_quarter, NEW.published_on, NEW.language, NEW.jurisdictions, NEW.external_id, NEW.corrected_fields)
        IS DISTINCT FROM
        (OLD.kind, OLD.title, OLD.company, OLD.ticker, OLD.document_type, OLD.source_type, OLD.fiscal_year,
         OLD.fiscal_quarter, OLD.published_on, OLD.language, OLD.jurisdictions, OLD.external_id, OLD.corrected_fields)
    ) EXECUTE FUNCTION intents_correction_held();
