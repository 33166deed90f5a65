-- Mentions and relations are derived from passages, and what holds for passages holds for them: hidden with a restricted
-- document, kept and unchanged while it is held, written by the job that reads the file, and of a published document
-- changed by the platform alone.

DO $$
DECLARE
    name text;
    command text;
BEGIN
    FOREACH name IN ARRAY ARRAY['filings_entitymention', 'filings_relation'] LOOP
        EXECUTE format(
            'CREATE POLICY hidden_by_restriction ON %I AS RESTRICTIVE FOR ALL TO PUBLIC '
            'USING (document_id <> ALL ((SELECT hidden_documents())::uuid[])) '
            'WITH CHECK (document_id <> ALL ((SELECT hidden_documents())::uuid[]))', name);
        EXECUTE format(
            'CREATE POLICY held_is_kept ON %I AS RESTRICTIVE FOR DELETE TO PUBLIC '
            'USING (document_id <> ALL ((SELECT held_documents())::uuid[]))', name);
        EXECUTE format(
            'CREATE POLICY held_is_unchanged ON %I AS RESTRICTIVE FOR UPDATE TO PUBLIC '
            'USING (document_id <> ALL ((SELECT held_documents())::uuid[]))', name);
        FOREACH command IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'WHEN (CURRENT_USER <> ''glassbox_eraser'') EXECUTE FUNCTION corpus_contents_at_once()',
                name || '_at_once_' || lower(command), command, name, CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'EXECUTE FUNCTION corpus_contents_by_two()',
                name || '_by_two_' || lower(command), command, name, CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
            EXECUTE format(
                'CREATE TRIGGER %1$I AFTER %2$s ON %3$I REFERENCING %4$s TABLE AS touched FOR EACH STATEMENT '
                'EXECUTE FUNCTION corpus_contents_by_job()',
                name || '_by_job_' || lower(command), command, name, CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
        END LOOP;
    END LOOP;
END
$$;
