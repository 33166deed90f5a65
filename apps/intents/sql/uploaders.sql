-- Who files a document of a kind, by the policy in force: the same as apps/corpus/services/ingest/kind.py, for every
-- process that writes in a person's or a key's name. Who may upload a kind may also correct what is said of its
-- documents. What the policy does not know is not held here: it has no rule for it.
--
-- A version whose time has come is in force before anything records it (apps/intents/standing.py).
CREATE FUNCTION intents_kind_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    allowed varchar[];
    is_retired boolean;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform')
        -- What a reading of the file finds is written by the worker, in the name of who brought it.
        OR (TG_OP = 'UPDATE' AND current_user = 'glassbox_worker') THEN
        RETURN NEW;
    END IF;
    SELECT budget.uploaders, budget.retired INTO allowed, is_retired
      FROM public.intents_kindbudget budget
     WHERE budget.tenant_id = NEW.tenant_id AND budget.kind = NEW.kind AND budget.version_id = (
        SELECT version.id FROM public.intents_policyversion version
         WHERE version.tenant_id = NEW.tenant_id AND (version.status = 'active'
            OR (version.status = 'approved' AND version.effective_from <= statement_timestamp()))
         ORDER BY version.status = 'approved' DESC, version.effective_from DESC, version.number DESC LIMIT 1);
    IF is_retired AND TG_OP = 'INSERT' THEN
        RAISE EXCEPTION 'the kind % is retired: nothing more is uploaded as such', NEW.kind
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF allowed <> '{}' AND NOT EXISTS (SELECT FROM unnest(allowed) role WHERE authz.may('role:' || role)) THEN
        RAISE EXCEPTION 'the policy in force lets only % file documents of the kind %',
            array_to_string(allowed, ', '), NEW.kind
            USING ERRCODE = 'insufficient_privilege';
    END IF;
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
