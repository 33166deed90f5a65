-- The kind of a document decides which questions reach it, and each of its passages, terms and vectors bears it too.
--
-- So a person gives a document another kind only while its job stands before the file: it then writes all of them anew.
-- Otherwise what was read as one kind would be found under its questions, and the document be shown as another.
CREATE FUNCTION corpus_kind_with_contents() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF public.corpus_is_person() AND EXISTS (
        SELECT FROM public.corpus_ingestjob job
         WHERE job.tenant_id = OLD.tenant_id AND job.scope_id = OLD.scope_id AND job.document_id = OLD.id
           AND job.stage <> 'extract'
    ) THEN
        RAISE EXCEPTION 'document % gets another kind with all that was read of it: set its job back to the file', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_kind_with_contents BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (NEW.kind IS DISTINCT FROM OLD.kind) EXECUTE FUNCTION corpus_kind_with_contents();
