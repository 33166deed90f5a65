-- A next version with the same file is a correction of what the firm says of it: it keeps since when the firm has the file,
-- by which retention rules count (apps/corpus/retention.py). Whoever corrects a document lengthens nothing.
--
-- Whatever is written, the time is that of the earliest version with this file, also of one that is restricted, and so
-- hidden from its writer: it belongs to glassbox_remover (apps/tenants/rights.py). By its name the trigger comes after
-- corpus_document_moved_insert, which lets nobody write the time of what was not moved.
CREATE FUNCTION corpus_document_received_first() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    SELECT min(coalesce(earlier.first_received_at, earlier.created_at)) INTO NEW.first_received_at
      FROM public.corpus_document earlier
     WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
       AND earlier.series_id = NEW.series_id AND earlier.content_sha256 = NEW.content_sha256;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION corpus_document_received_first() FROM PUBLIC;
GRANT SELECT (created_at, first_received_at) ON corpus_document TO glassbox_remover;
CREATE TRIGGER corpus_document_received_first BEFORE INSERT ON corpus_document
    FOR EACH ROW WHEN (CURRENT_USER IN ('glassbox_api', 'glassbox_worker') AND NEW.moved_from_id IS NULL)
    EXECUTE FUNCTION corpus_document_received_first();
