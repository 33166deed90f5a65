-- A job writes what its own document holds, and nothing of another document of its scope: its token says which it is
-- (`job:` and the id, apps/tenants/principals.py). As contents.sql has it for what a person writes.

-- The platform itself is no job, though its token says that it may everything.
CREATE FUNCTION corpus_is_job() RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT current_user IN ('glassbox_api', 'glassbox_worker')
       AND authz.may('job.run') AND NOT authz.may('glassbox.platform')
$$;

-- The facts, mentions and relations of a document (apps/filings/sql) are held by this function, too.
CREATE OR REPLACE FUNCTION corpus_contents_by_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF public.corpus_is_job() THEN
        IF EXISTS (SELECT FROM (SELECT DISTINCT document_id FROM touched) written
                    WHERE NOT authz.may('job:' || written.document_id)) THEN
            RAISE EXCEPTION 'a job writes what its own document holds: % of % is refused', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NULL;
    END IF;
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

-- What is given to another document is looked at as well as what is taken from one.
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'corpus_page', 'corpus_chunk', 'corpus_posting', 'corpus_embedding384', 'corpus_embedding768',
        'corpus_embedding1536'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER UPDATE ON %2$I REFERENCING NEW TABLE AS touched FOR EACH STATEMENT '
            'EXECUTE FUNCTION corpus_contents_by_job()', name || '_given_by_job', name);
    END LOOP;
END
$$;

-- The same of a document, its job and its file.
CREATE FUNCTION corpus_row_of_job() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    owner constant text := TG_ARGV[0];
BEGIN
    IF public.corpus_is_job() THEN
        IF TG_OP <> 'INSERT' AND NOT authz.may('job:' || (to_jsonb(OLD) ->> owner))
            OR TG_OP <> 'DELETE' AND NOT authz.may('job:' || (to_jsonb(NEW) ->> owner)) THEN
            RAISE EXCEPTION 'a job writes its own document: % of % is refused', TG_OP, TG_TABLE_NAME
                USING ERRCODE = 'restrict_violation';
        END IF;
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_row_of_job BEFORE INSERT OR UPDATE OR DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_row_of_job('id');
CREATE TRIGGER corpus_row_of_job BEFORE INSERT OR UPDATE OR DELETE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_row_of_job('document_id');
CREATE TRIGGER corpus_row_of_job BEFORE INSERT OR UPDATE OR DELETE ON corpus_sourcefile
    FOR EACH ROW EXECUTE FUNCTION corpus_row_of_job('document_id');
