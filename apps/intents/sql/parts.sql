-- Only drafts change: what a policy version is made of is written and removed by the author of a draft, and by nobody
-- else.
--
-- Asked once a statement, and not once a row. A policy has some six hundred rows below it, written in a handful of
-- statements: asking for each row whether its version is a draft of whoever acts took half of the time of writing them.
-- The triggers come after the statement and look at all of its rows; what they refuse is undone as a whole.

-- Raises unless the version is a draft of whoever acts. FOR SHARE waits for a submission under way, so that nothing
-- slips in after it.
CREATE FUNCTION intents_require_draft(tenant uuid, version uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
BEGIN
    SELECT * INTO held FROM public.intents_policyversion WHERE tenant_id = tenant AND id = version FOR SHARE;
    IF held.status IS DISTINCT FROM 'draft' THEN
        RAISE EXCEPTION 'policy version % is %: only a draft can be changed',
            coalesce(held.number::text, '(unknown)'), coalesce(held.status, 'not there')
            USING ERRCODE = 'check_violation';
    END IF;
    IF held.author_id IS NOT NULL AND NOT authz.acts_as(held.author_id) THEN
        RAISE EXCEPTION 'policy version %: only its author may change a draft', held.number
            USING ERRCODE = 'check_violation';
    END IF;
END
$$;

-- Rows that name their version.

CREATE FUNCTION intents_version_parts_insert() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT tenant_id, version_id FROM new_rows
        ) part_rows) changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION intents_version_parts_update() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT tenant_id, version_id FROM old_rows
            UNION
            SELECT tenant_id, version_id FROM new_rows
        ) part_rows) changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION intents_version_parts_delete() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT tenant_id, version_id FROM old_rows
        ) part_rows) changed;
    RETURN NULL;
END
$$;

-- Rows that name their intent. A row whose intent is not there, or not to be seen, has no version: that is refused like
-- any that is no draft.

CREATE FUNCTION intents_intent_parts_insert() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT part.tenant_id, intent.version_id FROM new_rows part
              LEFT JOIN public.intents_policyintent intent
                ON (intent.tenant_id, intent.id) = (part.tenant_id, part.intent_id)
        ) part_rows) changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION intents_intent_parts_update() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT part.tenant_id, intent.version_id FROM old_rows part
              LEFT JOIN public.intents_policyintent intent
                ON (intent.tenant_id, intent.id) = (part.tenant_id, part.intent_id)
            UNION
            SELECT part.tenant_id, intent.version_id FROM new_rows part
              LEFT JOIN public.intents_policyintent intent
                ON (intent.tenant_id, intent.id) = (part.tenant_id, part.intent_id)
        ) part_rows) changed;
    RETURN NULL;
END
$$;

CREATE FUNCTION intents_intent_parts_delete() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.intents_require_draft(changed.tenant_id, changed.version_id)
        FROM (SELECT DISTINCT tenant_id, version_id FROM (
            SELECT part.tenant_id, intent.version_id FROM old_rows part
              LEFT JOIN public.intents_policyintent intent
                ON (intent.tenant_id, intent.id) = (part.tenant_id, part.intent_id)
        ) part_rows) changed;
    RETURN NULL;
END
$$;

DO $$
DECLARE
    part record;
    name text;
BEGIN
    FOR part IN SELECT * FROM (VALUES
        ('intents_policyintent', 'intents_version_parts'), ('intents_kindbudget', 'intents_version_parts'),
        ('intents_policyintentkind', 'intents_intent_parts'), ('intents_intentterm', 'intents_intent_parts'),
        ('intents_goldenexample', 'intents_intent_parts')
    ) AS parts (relation, asks) LOOP
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER INSERT ON %2$I REFERENCING NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION %1$I()', part.asks || '_insert', part.relation);
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER UPDATE ON %2$I REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows '
            'FOR EACH STATEMENT EXECUTE FUNCTION %1$I()', part.asks || '_update', part.relation);
        -- With their tenant they go.
        EXECUTE format(
            'CREATE TRIGGER %1$I AFTER DELETE ON %2$I REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT '
            'WHEN (CURRENT_USER <> ''glassbox_remover'') EXECUTE FUNCTION %1$I()', part.asks || '_delete',
            part.relation);
    END LOOP;
END
$$;

CREATE FUNCTION intents_version_of_intent(tenant uuid, intent uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT version_id FROM public.intents_policyintent WHERE tenant_id = tenant AND id = intent $$;

CREATE FUNCTION intents_vector_part() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'a golden example''s vector is never changed' USING ERRCODE = 'check_violation';
    END IF;
    -- A vector goes with the example of a draft; else somebody could move the classification of a policy in force.
    PERFORM public.intents_require_draft(OLD.tenant_id, public.intents_version_of_intent(OLD.tenant_id, intent_id))
        FROM public.intents_goldenexample WHERE tenant_id = OLD.tenant_id AND id = OLD.example_id;
    RETURN OLD;
END
$$;
CREATE TRIGGER intents_vector_part BEFORE UPDATE OR DELETE ON intents_goldenvector
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_vector_part();
-- Whoever writes a vector decides how a policy in force classifies questions. No role of a tenant holds this
-- permission; the platform's own token holds all.
CREATE POLICY vectors_of_the_platform ON intents_goldenvector AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
