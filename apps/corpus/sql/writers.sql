-- Who writes a document that is not published yet, and its job: who adds documents. And what a document holds goes with
-- the document, by the person who may discard it (kept_by_two.sql): taken away alone, it would be a removal that nobody
-- proposed.

CREATE FUNCTION corpus_document_by_adder() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF public.corpus_is_person() AND NOT (
        authz.may('document.add') OR TG_OP = 'UPDATE' AND authz.may('job.retry')) THEN
        RAISE EXCEPTION 'documents and their jobs are written by who adds documents: % of % is refused',
            TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_document_by_adder BEFORE INSERT OR UPDATE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_by_adder();
CREATE TRIGGER corpus_job_by_adder BEFORE INSERT OR UPDATE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_document_by_adder();

-- A person starts a job again, or sends it back to the file: what else it says is its own.
CREATE FUNCTION corpus_job_started_again() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    persons constant text[] := '{stage,state,attempts,chunks_embedded,lease_owner,lease_until,next_attempt_at,'
        'error_code,error_detail,finished_at,actor_kind,actor_id,actor_key_id,actor_label,request_id,updated_at}';
BEGIN
    IF public.corpus_is_person() AND (
        to_jsonb(NEW) - persons IS DISTINCT FROM to_jsonb(OLD) - persons
        OR NEW.attempts NOT IN (OLD.attempts, 0) OR NEW.chunks_embedded NOT IN (OLD.chunks_embedded, 0)
        OR NEW.lease_until IS NOT NULL AND NEW.lease_until IS DISTINCT FROM OLD.lease_until
        OR NEW.finished_at IS NOT NULL AND NEW.finished_at IS DISTINCT FROM OLD.finished_at
        OR NEW.next_attempt_at IS DISTINCT FROM OLD.next_attempt_at
            AND (NEW.next_attempt_at > clock_timestamp() + interval '1 hour') IS NOT FALSE) THEN
        RAISE EXCEPTION 'a person starts job % again, and writes nothing else of it', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_job_started_again BEFORE UPDATE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_job_started_again();

CREATE FUNCTION corpus_part_with_document() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF public.corpus_is_person() AND EXISTS (
        SELECT FROM touched WHERE NOT authz.may('document.delete') OR NOT EXISTS (
            SELECT FROM public.audit_event e
             WHERE e.tenant_id = touched.tenant_id AND e.subject_id = touched.document_id
               AND e.action = 'corpus.document.received'
               AND (e.actor_kind <> 'user' OR authz.acts_as(e.actor_id)))
    ) THEN
        RAISE EXCEPTION 'what a document holds is removed with it, by who may discard it: DELETE of % is refused',
            TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'corpus_sourcefile', 'corpus_page', 'corpus_chunk', 'corpus_posting', 'corpus_embedding384',
        'corpus_embedding768', 'corpus_embedding1536', 'corpus_ingestjob'
    ] LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER DELETE ON %2$I REFERENCING OLD TABLE AS touched FOR EACH STATEMENT '
            'EXECUTE FUNCTION corpus_part_with_document()', name || '_with_document', name);
    END LOOP;
END
$$;
