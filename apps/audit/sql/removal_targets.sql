-- What a run of removals covers. The eraser deletes only what an executing run names: its policies ask the two
-- functions below, which belong to glassbox_remover once `manage.py migrate` has handed them over.

-- A scope covers those below it, also one that was made since the run was proposed. And what a restore repeats is
-- covered as what a run names: the owner of the tables names it in authz.repeated_removal (apps/tenants/sql/authz.sql),
-- which neither the eraser nor who serves can write.
CREATE FUNCTION audit_removal_targets(kind text) RETURNS SETOF uuid
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH RECURSIVE covered (id) AS (
        (
        SELECT t.item_id FROM public.audit_removaltarget t
          JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
         WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
           AND t.type = audit_removal_targets.kind AND t.outcome = 'pending'
        UNION
        SELECT again.item_id FROM authz.repeated_removal again
         WHERE again.tenant_id = authz.tenant() AND again.type = audit_removal_targets.kind AND again.until > now()
        )
        UNION
        SELECT s.id FROM covered c JOIN public.tenants_scope s ON s.parent_id = c.id
         WHERE audit_removal_targets.kind = 'scope' AND s.tenant_id = authz.tenant()
    )
    SELECT id FROM covered
$$;

-- The same of parts of events, as the terms that name their removal.
CREATE FUNCTION audit_removal_terms() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT 'removal:' || t.item_id::text || ':' || t.part FROM public.audit_removaltarget t
      JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
     WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
       AND t.type = 'event_group' AND t.outcome = 'pending'
     UNION ALL
    SELECT 'removal:' || again.item_id::text || substr(again.type, length('event_group:'))
      FROM authz.repeated_removal again
     WHERE again.tenant_id = authz.tenant() AND starts_with(again.type, 'event_group:') AND again.until > now()
$$;
REVOKE ALL ON FUNCTION audit_removal_targets(text), audit_removal_terms() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_removal_targets(text), audit_removal_terms() TO glassbox_eraser;
GRANT SELECT ON audit_removalrun, audit_removaltarget TO glassbox_remover;
GRANT SELECT (tenant_id, id, parent_id) ON tenants_scope TO glassbox_remover;
-- As the floor of the table has it: an identity reads which tenants have runs.
CREATE POLICY removal ON audit_removalrun AS PERMISSIVE FOR SELECT TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant_if_open()) OR (SELECT authz.identity(4)) = 'all');
CREATE POLICY removal ON audit_removaltarget AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));

-- Targets are added where a run is made, and not after, but for two cases. What came into a scope or tenant since its
-- erasure was proposed joins them before it is approved: by the platform alone, and for a request
-- (apps/erasure/runs/closing.py). And the eraser adds parts of events, to a run that it carries out, and none but those
-- that concern what the run names. The removal of a document removes that document, which is what the person who
-- approves it is shown, and nothing beside it.
CREATE FUNCTION audit_removal_target_added() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user = 'glassbox_eraser' THEN
        IF EXISTS (
            SELECT FROM added a WHERE a.outcome <> 'pending' OR a.authorised_by IS NOT NULL
                OR a.type <> 'event_group'
                OR NOT EXISTS (
                   SELECT FROM public.audit_removalrun r
                    WHERE r.tenant_id = a.tenant_id AND r.id = a.run_id AND r.state = 'executing'
                      AND r.origin = 'request')
                OR NOT (
                   a.part IN ('passages', 'answer') AND EXISTS (
                      SELECT FROM public.audit_payload p, unnest(p.terms) AS named (term), public.audit_removaltarget d
                       WHERE p.tenant_id = a.tenant_id AND p.event_id = a.item_id AND p.field_group = 'passages'
                         AND d.tenant_id = a.tenant_id AND d.run_id = a.run_id AND d.type = 'document'
                         AND d.outcome <> 'retained' AND named.term = 'document_id:' || d.item_id::text)
                   OR a.part IN ('actor', 'question') AND EXISTS (
                      SELECT FROM public.audit_event e
                        JOIN public.audit_removaltarget u
                          ON u.tenant_id = e.tenant_id AND u.type = 'user' AND u.item_id = e.actor_id
                       WHERE e.tenant_id = a.tenant_id AND e.id = a.item_id AND e.actor_kind = 'user'
                         AND u.run_id = a.run_id AND u.outcome <> 'retained')
                   OR a.part IN ('question', 'answer', 'passages') AND EXISTS (
                      SELECT FROM public.audit_payload p
                       WHERE p.tenant_id = a.tenant_id AND p.event_id = a.item_id AND p.field_group = a.part
                         AND p.scope_ids <> '{}' AND p.scope_ids <@ ARRAY(
                            SELECT s.item_id FROM public.audit_removaltarget s
                             WHERE s.tenant_id = a.tenant_id AND s.run_id = a.run_id AND s.type = 'scope'
                               AND s.outcome <> 'retained')))
        ) THEN
            RAISE EXCEPTION 'the eraser adds to a removal run what concerns its targets in the log, and nothing else'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NULL;
    END IF;
    IF EXISTS (
        SELECT FROM added a WHERE a.outcome <> 'pending' OR a.authorised_by IS NOT NULL OR NOT EXISTS (
            SELECT FROM public.audit_removalrun r
             WHERE r.tenant_id = a.tenant_id AND r.id = a.run_id AND r.state = 'proposed'
               AND (r.frozen_at IS NULL AND r.made_in = pg_current_xact_id()::text
               -- What came since, before it is approved (apps/erasure/runs/closing.py).
               OR r.frozen_at IS NOT NULL AND r.origin = 'request' AND authz.may('glassbox.platform')
                  AND a.type IN ('document', 'event_group', 'scope') AND EXISTS (
                      SELECT FROM public.audit_removaltarget w
                       WHERE w.tenant_id = a.tenant_id AND w.run_id = a.run_id AND w.type IN ('scope', 'tenant')
                         AND w.id NOT IN (SELECT same.id FROM added same))))
    ) THEN
        RAISE EXCEPTION 'targets are added to a removal run where it is made, and not after'
            USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (
        SELECT FROM added a JOIN public.audit_removalrun r ON r.tenant_id = a.tenant_id AND r.id = a.run_id
         WHERE r.origin = 'removal' AND (a.type <> 'document' OR a.item_id IS DISTINCT FROM r.origin_id)
    ) THEN
        RAISE EXCEPTION 'the removal of a document is of that document alone' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_removaltarget_added AFTER INSERT ON audit_removaltarget REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_target_added();

CREATE FUNCTION audit_removal_target_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF current_user <> 'glassbox_eraser' OR EXISTS (
        SELECT FROM new_rows n FULL JOIN old_rows o ON o.tenant_id = n.tenant_id AND o.id = n.id
         WHERE (to_jsonb(n) - '{outcome,ground,authorised_by}'::text[])
               IS DISTINCT FROM (to_jsonb(o) - '{outcome,ground,authorised_by}'::text[])
            OR (o.outcome = 'removed' AND n.outcome <> 'removed')
            OR (o.authorised_by IS NOT NULL AND n.authorised_by IS DISTINCT FROM o.authorised_by)
            OR NOT EXISTS (
               SELECT FROM public.audit_removalrun r
                WHERE r.tenant_id = n.tenant_id AND r.id = n.run_id AND r.state = 'executing')
    ) THEN
        RAISE EXCEPTION 'the targets of a removal run are frozen; what became of them is the eraser''s to say'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_removaltarget_step AFTER UPDATE ON audit_removaltarget
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_target_step();

GRANT SELECT, INSERT, UPDATE (outcome, ground, authorised_by) ON audit_removaltarget TO glassbox_eraser;
