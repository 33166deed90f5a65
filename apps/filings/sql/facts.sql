-- Facts are derived from passages, and what holds for passages holds for them: hidden with a restricted document, kept
-- and unchanged while it is held, and of a published document changed by the platform alone.

CREATE POLICY hidden_by_restriction ON filings_fact AS RESTRICTIVE FOR ALL TO PUBLIC
    USING (document_id <> ALL ((SELECT hidden_documents())::uuid[]))
    WITH CHECK (document_id <> ALL ((SELECT hidden_documents())::uuid[]));
CREATE POLICY held_is_kept ON filings_fact AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_unchanged ON filings_fact AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));

DO $$
DECLARE
    command text;
BEGIN
    FOREACH command IN ARRAY ARRAY['INSERT', 'UPDATE', 'DELETE'] LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER %2$s ON filings_fact REFERENCING %3$s TABLE AS touched FOR EACH STATEMENT '
            'WHEN (CURRENT_USER <> ''glassbox_eraser'') EXECUTE FUNCTION corpus_contents_at_once()',
            'filings_fact_at_once_' || lower(command), command, CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER %2$s ON filings_fact REFERENCING %3$s TABLE AS touched FOR EACH STATEMENT '
            'EXECUTE FUNCTION corpus_contents_by_two()',
            'filings_fact_by_two_' || lower(command), command, CASE command WHEN 'INSERT' THEN 'NEW' ELSE 'OLD' END);
    END LOOP;
END
$$;
