-- No single person removes a document: what was ever searchable is removed by an approved run, and by nothing else.
--
-- Of a document that was published, a runtime role deletes neither the row nor its file, pages, passages and jobs, and
-- changes none of them; the eraser does, and its policies bind it to what an executing run names. One that never was
-- published is deleted by the person who brought it (the log says who that is), or, where a key brought it, by who
-- removes documents. The platform itself, whose token no person has, does what `manage.py evaluate` needs in its own
-- tenant.

CREATE FUNCTION corpus_document_by_two() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_published boolean := OLD.status IN ('ready', 'superseded') OR OLD.valid_from IS NOT NULL;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
        RETURN NEW;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF is_published AND to_jsonb(NEW) IS DISTINCT FROM to_jsonb(OLD) THEN
            RAISE EXCEPTION 'document % is kept as it is: a correction is a new version', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        IF (NEW.id, NEW.tenant_id, NEW.scope_id, NEW.series_id, NEW.version, NEW.content_sha256, NEW.created_at)
            IS DISTINCT FROM
           (OLD.id, OLD.tenant_id, OLD.scope_id, OLD.series_id, OLD.version, OLD.content_sha256, OLD.created_at) THEN
            RAISE EXCEPTION 'document % stays where it is, and what it was uploaded as', OLD.id
                USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF is_published OR NOT authz.may('document.delete') OR NOT EXISTS (
        SELECT FROM public.audit_event e
         WHERE e.tenant_id = OLD.tenant_id AND e.subject_id = OLD.id AND e.action = 'corpus.document.received'
           AND (e.actor_kind <> 'user' OR authz.acts_as(e.actor_id))
    ) THEN
        RAISE EXCEPTION 'document % is not removed by one person alone: its removal is proposed, and approved', OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER corpus_document_by_two BEFORE UPDATE OR DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_by_two();
-- The eraser makes the same triggers run: what their bodies read, it may read.
GRANT SELECT (valid_from) ON corpus_document TO glassbox_eraser;

-- A published document is found by what it says: its index, too, is the platform's alone to change. Terms and vectors
-- are made again of passages, but by the platform: whoever deletes them takes a document out of every answer, and
-- whoever adds a page, a passage or a vector puts words into its mouth.
CREATE FUNCTION corpus_contents_by_two() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker') OR authz.may('glassbox.platform') THEN
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM touched g JOIN public.corpus_document d
            ON d.tenant_id = g.tenant_id AND d.scope_id = g.scope_id AND d.id = g.document_id
         WHERE d.status IN ('ready', 'superseded') OR d.valid_from IS NOT NULL
    ) THEN
        RAISE EXCEPTION 'what a document holds is kept as it is: % of % is refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
END
$$;

-- What a document holds is changed before it is published, or not at all: whoever changes it keeps it from being
-- published. Asked without a lock, a change that was not committed yet outlasted the publication, and a transaction
-- that sees what was there when it began (REPEATABLE READ) never saw it.
--
-- Of several documents in one order, so that two who change the same ones wait for each other and no more. The eraser
-- removes what is published, and may change no document.
CREATE FUNCTION corpus_contents_at_once() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user IN ('glassbox_api', 'glassbox_worker') AND NOT authz.may('glassbox.platform') THEN
        PERFORM FROM public.corpus_document d
          WHERE EXISTS (SELECT FROM touched g
                         WHERE g.tenant_id = d.tenant_id AND g.scope_id = d.scope_id AND g.document_id = d.id)
          ORDER BY d.id FOR SHARE;
    END IF;
    RETURN NULL;
END
$$;

-- {table}_at_once comes by its name before {table}_by_two, which asks whether the document is published.
DO $$
DECLARE
    name text;
    command text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'corpus_sourcefile', 'corpus_page', 'corpus_chunk', 'corpus_posting', 'corpus_embedding384',
        'corpus_embedding768', 'corpus_embedding1536', 'corpus_ingestjob'
    ] LOOP
        FOREACH command IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
            -- A job comes and goes on as the document does; only its end would lose something.
            CONTINUE WHEN name = 'corpus_ingestjob' AND command <> 'DELETE';
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'WHEN (CURRENT_USER <> ''glassbox_eraser'') EXECUTE FUNCTION corpus_contents_at_once()',
                name || '_at_once_' || lower(command), command, name,
                CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'EXECUTE FUNCTION corpus_contents_by_two()',
                name || '_by_two_' || lower(command), command, name,
                CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
        END LOOP;
    END LOOP;
END
$$;
