-- The id of a document names one document of the tenant. Keys hold that within a scope alone, so that no insertion reveals a
-- hidden id: whoever could file a document under the id of one that they can't see would have both removed by its id.

-- An inserted id is made by the database, there and then. So it meets none, and nothing has to be looked up.
CREATE FUNCTION corpus_document_id_is_new() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user IN ('glassbox_api', 'glassbox_worker') AND NOT authz.may('glassbox.platform')
        AND (uuid_extract_timestamp(NEW.id) > clock_timestamp() - interval '10 seconds') IS NOT TRUE THEN
        RAISE EXCEPTION 'a document''s id is made by the database' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_document_id_is_new BEFORE INSERT ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_id_is_new();

-- Whatever came about, no run is carried out that names two documents by one id: the eraser sees all scopes.
CREATE FUNCTION corpus_removal_names_one() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    named uuid;
BEGIN
    SELECT document.id INTO named
      FROM public.audit_removaltarget target
      JOIN public.corpus_document document
        ON document.tenant_id = target.tenant_id AND document.id = target.item_id
     WHERE target.tenant_id = NEW.tenant_id AND target.run_id = NEW.id AND target.type = 'document'
     GROUP BY document.id HAVING count(*) > 1 LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'removal run %: two documents have the id %, and neither is removed by it', NEW.id, named
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_removal_names_one BEFORE UPDATE OF state ON audit_removalrun
    FOR EACH ROW WHEN (NEW.state IN ('approved', 'executing') AND NEW.state <> OLD.state)
    EXECUTE FUNCTION corpus_removal_names_one();
