-- Research: a run stays what was asked, and a step never reaches beyond it. The platform alone writes them; these hold it
-- to what it wrote before.

CREATE FUNCTION research_run_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    moving constant text[] := '{state,steps,rounds,searches,tokens,spent_ms,confidence,stopped_by,cancel_requested_at,
        started_at,finished_at,expires_at,data_key_id,sealed,attempts,next_attempt_at,lease_owner,lease_until,error_code}';
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state NOT IN ('planned', 'queued') OR NEW.lease_owner <> ''
           OR NEW.steps <> 0 OR NEW.rounds <> 0 OR NEW.searches <> 0 OR NEW.tokens <> 0 OR NEW.spent_ms <> 0 THEN
            RAISE EXCEPTION 'research begins without a step' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF to_jsonb(NEW) - moving IS DISTINCT FROM to_jsonb(OLD) - moving THEN
        RAISE EXCEPTION 'the bounds of research stay as it was asked' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.state IN ('done', 'stopped', 'cancelled', 'failed') THEN
        RAISE EXCEPTION 'research that has ended does not change' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.state = 'planned' AND OLD.state <> 'planned' THEN
        RAISE EXCEPTION 'research that was started is planned no more' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.state <> 'planned' AND NEW.sealed IS DISTINCT FROM OLD.sealed THEN
        RAISE EXCEPTION 'the plan of research that was started stays' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.steps < OLD.steps OR NEW.rounds < OLD.rounds OR NEW.searches < OLD.searches OR NEW.tokens < OLD.tokens
       OR NEW.spent_ms < OLD.spent_ms OR OLD.cancel_requested_at IS NOT NULL AND NEW.cancel_requested_at IS NULL THEN
        RAISE EXCEPTION 'research goes on, and back to nothing' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.searches > NEW.searches_most THEN
        RAISE EXCEPTION 'research asks no more questions than its budget has' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER research_run_held BEFORE INSERT OR UPDATE ON research_researchrun
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION research_run_held();

-- A step is of the run's tenant, owner and intent, within its scopes and kinds, and within what the policy version that it
-- names permits for that intent. After a cancellation only the end is written.
CREATE FUNCTION research_step_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    run public.research_researchrun;
BEGIN
    SELECT * INTO run FROM public.research_researchrun
     WHERE tenant_id = NEW.tenant_id AND id = NEW.run_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a step is of research that is there' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.owner_id <> run.owner_id OR NEW.intent <> run.intent OR NOT NEW.scope_ids <@ run.scope_ids
       OR NOT NEW.kinds::text[] <@ run.permitted_kinds::text[] THEN
        RAISE EXCEPTION 'a step stays within the bounds of its research' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.ordinal <> run.steps + 1 OR run.state IN ('done', 'stopped', 'cancelled', 'failed')
       OR NEW.kind = 'analysis' AND run.steps <> 0
       OR NEW.kind IN ('search', 'score', 'result') AND (run.state <> 'running' OR run.lease_owner = '') THEN
        RAISE EXCEPTION 'a step follows the one before it, while the research runs' USING ERRCODE = 'check_violation';
    END IF;
    IF run.cancel_requested_at IS NOT NULL AND NEW.kind <> 'ended' THEN
        RAISE EXCEPTION 'after a cancellation nothing follows but the end' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT NEW.kinds::text[] <@ ARRAY(
        SELECT k.kind::text
          FROM public.intents_policyintentkind k
          JOIN public.intents_policyintent i ON i.tenant_id = k.tenant_id AND i.id = k.intent_id
         WHERE k.tenant_id = NEW.tenant_id AND i.version_id = NEW.policy_version_id
           AND (NEW.intent <> '' AND i.name = NEW.intent OR NEW.intent = '' AND i.is_fallback)
    ) THEN
        RAISE EXCEPTION 'a step reaches what the policy permits for its intent' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER research_step_held BEFORE INSERT ON research_researchstep
    FOR EACH ROW EXECUTE FUNCTION research_step_held();

-- What was written from a restricted document is in nobody's view but of those who decide about it, as the document itself
-- (corpus/sql/restrictions.sql says why it is for all commands, and why it has this name).
CREATE POLICY hidden_by_restriction ON research_researchstep AS RESTRICTIVE FOR ALL TO PUBLIC
    USING (NOT document_ids && (SELECT hidden_documents())::uuid[])
    WITH CHECK (NOT document_ids && (SELECT hidden_documents())::uuid[]);
