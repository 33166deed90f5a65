-- Nothing is moved out of a scope, or into one, that a request for erasure is about which is there and not over: of what
-- comes and goes meanwhile, its removal names nothing. A request about a scope is about those below it, too. The same as
-- apps/corpus/services/move.py, for every process that serves.
--
-- Those above a scope need not be the caller's, nor the request: it belongs to glassbox_remover (apps/tenants/rights.py).
CREATE FUNCTION corpus_document_moved_lasting() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        WITH RECURSIVE above (id) AS (
            SELECT NEW.scope_id
            UNION
            SELECT source.scope_id FROM public.corpus_document source
             WHERE source.tenant_id = NEW.tenant_id AND source.id = NEW.moved_from_id
            UNION
            SELECT scope.parent_id FROM above JOIN public.tenants_scope scope
                ON scope.tenant_id = NEW.tenant_id AND scope.id = above.id WHERE scope.parent_id IS NOT NULL
        )
        SELECT FROM above JOIN public.audit_erasurerequest request
            ON request.tenant_id = NEW.tenant_id AND request.subject_type = 'scope' AND request.subject_id = above.id
         WHERE request.state NOT IN ('completed', 'partially_completed', 'refused', 'withdrawn')
    ) THEN
        RAISE EXCEPTION 'a request for erasure is about the scope that document % is moved from, or to', NEW.moved_from_id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION corpus_document_moved_lasting() FROM PUBLIC;
GRANT SELECT (subject_type, subject_id) ON audit_erasurerequest TO glassbox_remover;
-- By its name it comes after corpus_document_moved_insert, which holds that the source is there.
CREATE TRIGGER corpus_document_moved_lasting BEFORE INSERT ON corpus_document
    FOR EACH ROW WHEN (CURRENT_USER IN ('glassbox_api', 'glassbox_worker') AND NEW.moved_from_id IS NOT NULL)
    EXECUTE FUNCTION corpus_document_moved_lasting();
