-- Restricted documents are in nobody's view but of those who decide about them; held ones are not removed by anybody.
--
-- RESTRICTIVE FOR ALL, not FOR SELECT: an UPDATE or DELETE that reads no column asks the policies of its own command
-- alone. The list of ids is asked for once a statement (an InitPlan), and is empty where nothing is restricted.
--
-- By its name the policy comes before isolation_floor: restrictive policies are asked in the order of their names, and
-- the planner joins a question's condition on tenant_id to that of isolation, and lets it run in the same place. A
-- policy that comes later would not stand before it.

DO $$
DECLARE
    name text;
    document text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'corpus_document', 'corpus_sourcefile', 'corpus_page', 'corpus_chunk', 'corpus_posting', 'corpus_embedding384',
        'corpus_embedding768', 'corpus_embedding1536', 'corpus_ingestjob'
    ] LOOP
        document := CASE name WHEN 'corpus_document' THEN 'id' ELSE 'document_id' END;
        EXECUTE format(
            'CREATE POLICY hidden_by_restriction ON %1$I AS RESTRICTIVE FOR ALL TO PUBLIC '
            'USING (%2$I <> ALL ((SELECT hidden_documents())::uuid[])) '
            'WITH CHECK (%2$I <> ALL ((SELECT hidden_documents())::uuid[]))', name, document);
    END LOOP;
END
$$;

-- What is held is kept as it is. Vectors and term statistics are made of it, and can be made again.
CREATE POLICY held_is_kept ON corpus_sourcefile AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_unchanged ON corpus_sourcefile AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_kept ON corpus_page AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_unchanged ON corpus_page AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_kept ON corpus_chunk AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));
CREATE POLICY held_is_unchanged ON corpus_chunk AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING (document_id <> ALL ((SELECT held_documents())::uuid[]));

CREATE FUNCTION corpus_document_is_kept() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hold uuid;
BEGIN
    SELECT h.id INTO hold
      FROM public.audit_helditem i JOIN public.audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
     WHERE i.tenant_id = OLD.tenant_id AND i.type = 'document' AND i.item_id = OLD.id AND h.released_at IS NULL
     LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'document % is not removed: it is held, hold:%', OLD.id, hold
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
REVOKE ALL ON FUNCTION corpus_document_is_kept() FROM PUBLIC;
-- After, not before: who waits for the row's lock must see the hold of the transaction that it waited for.
CREATE TRIGGER corpus_document_held AFTER DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_is_kept();

-- A transaction that sees what was there when it began (REPEATABLE READ) does not see a hold that was placed since.
CREATE FUNCTION corpus_document_sees_holds() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'document % is not removed by a transaction that does not see what is held since it began',
            OLD.id
            USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER corpus_document_sees_holds AFTER DELETE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_document_sees_holds();
