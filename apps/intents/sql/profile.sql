-- The compliance profile of a policy version: what the database holds of it beside the checks of its rows.

-- Rules are parts of a version: written by the author of a draft, and by nobody else (parts.sql). Once it is submitted,
-- no statement of anybody changes them.
CREATE TRIGGER intents_version_parts_insert AFTER INSERT ON intents_policyprofilerule
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_insert();
CREATE TRIGGER intents_version_parts_update AFTER UPDATE ON intents_policyprofilerule
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_update();
CREATE TRIGGER intents_version_parts_delete AFTER DELETE ON intents_policyprofilerule
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
    WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_version_parts_delete();

-- A disclaimer of an intent that is not there would stand by no answer, and nobody would see that it is missing.
CREATE FUNCTION intents_profile_speaks_of_intents() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    rule_key text;
    missing text;
BEGIN
    SELECT rule.key, named INTO rule_key, missing
      FROM public.intents_policyprofilerule rule, unnest(rule.intents) named
     WHERE rule.tenant_id = NEW.tenant_id AND rule.version_id = NEW.id AND NOT EXISTS (
        SELECT FROM public.intents_policyintent intent
         WHERE intent.tenant_id = NEW.tenant_id AND intent.version_id = NEW.id AND intent.name = named)
     ORDER BY rule.position LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'policy version %: its profile rule % speaks of the intent %, which is not there',
            NEW.number, rule_key, missing USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_profile BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status IN ('in_review', 'approved', 'active') AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_profile_speaks_of_intents();

-- A proof is of the profile that its version has, too: a reviewer must not read of another one.
CREATE FUNCTION intents_proof_of_profile() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    told constant jsonb := coalesce(NEW.text::jsonb #> '{after,content,profile}', '[]');
    held constant jsonb := coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'key', key, 'sort', sort, 'name', name, 'terms', terms, 'intents', intents, 'text', text,
            'in_question', in_question, 'in_answer', in_answer) ORDER BY position)
          FROM public.intents_policyprofilerule
         WHERE tenant_id = NEW.tenant_id AND version_id = NEW.version_id), '[]');
BEGIN
    IF told IS DISTINCT FROM held THEN
        RAISE EXCEPTION 'a proof is of the profile that its version has' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after intents_proof_written, which holds that the text is JSON.
CREATE TRIGGER intents_proof_written_of_profile BEFORE INSERT ON intents_policyproof
    FOR EACH ROW EXECUTE FUNCTION intents_proof_of_profile();
