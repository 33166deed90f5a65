-- What a copy in another scope keeps of the document that it was moved from: since when the firm has it, by which
-- retention rules count, and when it was replaced where it comes from. It is of the very same bytes and kind, and its
-- mover sees it and may propose its removal. Whatever is written, the two times are the source's: of a copy that is moved
-- on, those of the first document.
CREATE FUNCTION corpus_document_moved() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    source record;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'document % keeps what it was moved from', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT found.status, found.replaced_there_at, coalesce(found.replaced_there_at, found.valid_to) AS replaced_at,
           coalesce(found.first_received_at, found.created_at) AS received_at INTO source
      FROM public.corpus_document found
     WHERE found.tenant_id = NEW.tenant_id AND found.id = NEW.moved_from_id AND found.scope_id <> NEW.scope_id
       AND found.kind = NEW.kind AND found.content_sha256 = NEW.content_sha256;
    IF NOT FOUND OR NOT authz.may('document.delete') THEN
        RAISE EXCEPTION 'a document is moved by who may remove it, as what it is' USING ERRCODE = 'check_violation';
    END IF;
    NEW.first_received_at := source.received_at;
    IF source.status = 'superseded' OR source.replaced_there_at IS NOT NULL THEN
        NEW.replaced_there_at := coalesce(source.replaced_at, statement_timestamp());
    ELSIF NEW.replaced_there_at IS NOT NULL THEN
        RAISE EXCEPTION 'document % was not replaced where it comes from', NEW.moved_from_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_document_moved_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW WHEN (
        NEW.moved_from_id IS NOT NULL OR NEW.first_received_at IS NOT NULL OR NEW.replaced_there_at IS NOT NULL
    ) EXECUTE FUNCTION corpus_document_moved();
CREATE TRIGGER corpus_document_moved_update BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (
        (NEW.moved_from_id, NEW.first_received_at, NEW.replaced_there_at)
        IS DISTINCT FROM (OLD.moved_from_id, OLD.first_received_at, OLD.replaced_there_at)
    ) EXECUTE FUNCTION corpus_document_moved();
