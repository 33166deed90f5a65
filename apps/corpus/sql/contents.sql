-- A document that is not published yet holds what its file holds, and no words of anybody else.
--
-- Who may only correct a kind brings a next version of the same bytes, and who uploads brings a file. Neither writes what
-- it says: pages, passages, terms and vectors are written by the job that reads the file, whose token says so
-- (job.run), and so are the counts and the state of the document. The platform itself may, as ever.

CREATE FUNCTION corpus_is_person() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT current_user IN ('glassbox_api', 'glassbox_worker')
       AND NOT authz.may('glassbox.platform') AND NOT authz.may('job.run')
$$;

CREATE FUNCTION corpus_file_is_its_own() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT public.corpus_is_person() THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' OR NOT EXISTS (
        SELECT FROM public.corpus_document d
         WHERE d.tenant_id = NEW.tenant_id AND d.scope_id = NEW.scope_id AND d.id = NEW.document_id
           AND d.content_sha256 = encode(sha256(NEW.content), 'hex') AND d.byte_size = length(NEW.content)
    ) THEN
        RAISE EXCEPTION 'the file of document % is the one with its digest', NEW.document_id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_file_is_its_own BEFORE INSERT OR UPDATE ON corpus_sourcefile
    FOR EACH ROW EXECUTE FUNCTION corpus_file_is_its_own();

-- What a document holds is removed with it, after its jobs: none of them then publishes what is left.
CREATE FUNCTION corpus_contents_by_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT public.corpus_is_person() THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM touched WHERE TG_OP <> 'DELETE' OR EXISTS (
            SELECT FROM public.corpus_ingestjob job
             WHERE job.tenant_id = touched.tenant_id AND job.scope_id = touched.scope_id
               AND job.document_id = touched.document_id)
    ) THEN
        RAISE EXCEPTION 'what a document holds is written by the job that reads its file: % of % is refused',
            TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION corpus_document_by_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT public.corpus_is_person() THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'received' OR NEW.valid_from IS NOT NULL OR NEW.valid_to IS NOT NULL
            OR (NEW.page_count, NEW.chunk_count, NEW.term_count) IS DISTINCT FROM (0, 0, 0::bigint) THEN
            RAISE EXCEPTION 'document % begins as received', NEW.id USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    -- A job that is started again goes on from where it was.
    IF NEW.status IS DISTINCT FROM OLD.status AND NEW.status NOT IN ('received', 'processing')
        OR to_jsonb(NEW) - (
            '{kind,title,document_type,source_type,company,ticker,fiscal_year,fiscal_quarter,published_on,language,'
            'jurisdictions,external_id,corrected_fields,status,error_code,error_detail,updated_at}')::text[]
        IS DISTINCT FROM to_jsonb(OLD) - (
            '{kind,title,document_type,source_type,company,ticker,fiscal_year,fiscal_quarter,published_on,language,'
            'jurisdictions,external_id,corrected_fields,status,error_code,error_detail,updated_at}')::text[] THEN
        RAISE EXCEPTION 'what is found in document %, and its state, is written by its job', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_document_by_job BEFORE INSERT OR UPDATE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_by_job();

-- A job begins with the file, and may be sent back to it, but not past it.
CREATE FUNCTION corpus_job_by_itself() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT public.corpus_is_person() THEN
        RETURN NEW;
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF (NEW.stage, NEW.state, NEW.lease_owner, NEW.chunks_total) IS DISTINCT FROM ('extract', 'pending', '', 0) THEN
            RAISE EXCEPTION 'a job begins with reading the file' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.stage NOT IN (OLD.stage, 'extract') OR NEW.state NOT IN (OLD.state, 'pending')
        OR NEW.lease_owner NOT IN (OLD.lease_owner, '') OR NEW.document_id <> OLD.document_id
        OR (NEW.pages_total, NEW.chunks_total) IS DISTINCT FROM (OLD.pages_total, OLD.chunks_total) THEN
        RAISE EXCEPTION 'how far job % is, is written by whoever runs it', OLD.id USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_job_by_itself BEFORE INSERT OR UPDATE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_job_by_itself();

DO $$
DECLARE
    name text;
    command text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'corpus_page', 'corpus_chunk', 'corpus_posting', 'corpus_embedding384', 'corpus_embedding768',
        'corpus_embedding1536'
    ] LOOP
        FOREACH command IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'EXECUTE FUNCTION corpus_contents_by_job()',
                name || '_by_job_' || lower(command), command, name,
                CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
        END LOOP;
    END LOOP;
END
$$;
