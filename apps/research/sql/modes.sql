-- Research goes as far as the compliance profile of a policy lets questions of its intent be researched: a run when it is
-- asked for, and each of its steps, by the version that it names. The end of a run does nothing, and names what it began
-- with. The same as apps/intents/profile/means.py.

CREATE FUNCTION research_mode_permitted(tenant uuid, version uuid, intent text, mode text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT NOT EXISTS (
        SELECT FROM public.intents_policyprofilerule rule
         WHERE rule.tenant_id = tenant AND rule.version_id = version AND rule.sort = 'research_modes'
           AND (rule.intents = '{}' OR coalesce(nullif(intent, ''), 'unrecognised') = ANY (rule.intents))
           AND mode <> ALL (rule.terms))
$$;

CREATE FUNCTION research_run_mode_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT public.research_mode_permitted(NEW.tenant_id, NEW.policy_version_id, NEW.intent, NEW.mode) THEN
        RAISE EXCEPTION 'research is in a mode that the policy permits for its intent' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER research_run_mode_held BEFORE INSERT ON research_researchrun
    FOR EACH ROW EXECUTE FUNCTION research_run_mode_held();

CREATE FUNCTION research_step_mode_held() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.research_researchrun run
         WHERE run.tenant_id = NEW.tenant_id AND run.id = NEW.run_id
           AND NOT public.research_mode_permitted(run.tenant_id, NEW.policy_version_id, run.intent, run.mode)
    ) THEN
        RAISE EXCEPTION 'a step is of research in a mode that the policy permits for its intent'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after research_step_held, which holds that the run is there.
CREATE TRIGGER research_step_mode_held BEFORE INSERT ON research_researchstep
    FOR EACH ROW WHEN (NEW.kind <> 'ended') EXECUTE FUNCTION research_step_mode_held();
