"""The life of a policy version, held by the database. Part of migration 0001: a later change is a new file.

Nobody is exempt: no role, setting or variable switches these triggers off for the application.
"""

from __future__ import annotations

FORWARD = """
CREATE FUNCTION intents_version_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'draft' THEN
            RAISE EXCEPTION 'a policy version starts as a draft' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'policy version % is %: only a draft can be deleted', OLD.number, OLD.status
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;

    IF (NEW.id, NEW.tenant_id, NEW.number, NEW.origin, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.number, OLD.origin, OLD.created_at) THEN
        RAISE EXCEPTION 'a policy version keeps its id, tenant, number and origin' USING ERRCODE = 'check_violation';
    END IF;

    IF NEW.status <> OLD.status AND NOT (
        (OLD.status = 'draft' AND NEW.status IN ('in_review', 'withdrawn'))
        OR (OLD.status = 'draft' AND NEW.status = 'active' AND OLD.origin = 'baseline')
        OR (OLD.status = 'in_review' AND NEW.status IN ('approved', 'rejected', 'withdrawn'))
        OR (OLD.status = 'approved' AND NEW.status IN ('active', 'withdrawn'))
        -- A version gives way to its successor and to nothing else: only the activation below takes this step.
        OR (OLD.status = 'active' AND NEW.status = 'superseded' AND pg_trigger_depth() > 1)
    ) THEN
        RAISE EXCEPTION 'policy version % can''t go from % to %', OLD.number, OLD.status, NEW.status
            USING ERRCODE = 'check_violation';
    END IF;

    IF NEW.status = 'active' AND OLD.status <> 'active' THEN
        -- The database's own clock, so that no version is ever in force before it was activated.
        NEW.valid_from := clock_timestamp();
        UPDATE public.intents_policyversion
            SET status = 'superseded', valid_to = NEW.valid_from
            WHERE tenant_id = NEW.tenant_id AND status = 'active';
    ELSIF NEW.valid_from IS DISTINCT FROM OLD.valid_from THEN
        RAISE EXCEPTION 'policy version %: valid_from is set by its activation', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.valid_to IS DISTINCT FROM OLD.valid_to AND NOT (OLD.status = 'active' AND NEW.status = 'superseded') THEN
        RAISE EXCEPTION 'policy version %: valid_to is set by its successor', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;

    IF (NEW.approver_id, NEW.approver_label) IS DISTINCT FROM (OLD.approver_id, OLD.approver_label)
        AND NOT (OLD.status = 'in_review' AND NEW.status IN ('approved', 'rejected')) THEN
        RAISE EXCEPTION 'policy version %: the approver is set by the review', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;

    -- Whatever column a later migration adds is immutable too, unless it is named here.
    IF OLD.status <> 'draft' AND
        (to_jsonb(NEW) - '{status,valid_from,valid_to,approver_id,approver_label}'::text[])
        IS DISTINCT FROM (to_jsonb(OLD) - '{status,valid_from,valid_to,approver_id,approver_label}'::text[]) THEN
        RAISE EXCEPTION 'policy version % is %: only a draft can be changed', OLD.number, OLD.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER intents_version_step BEFORE INSERT OR UPDATE OR DELETE ON intents_policyversion
    FOR EACH ROW EXECUTE FUNCTION intents_version_step();

-- Raises unless the version is a draft. FOR SHARE waits for a submission under way, so that nothing slips in after it.
CREATE FUNCTION intents_require_draft(tenant uuid, version uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    held public.intents_policyversion;
BEGIN
    SELECT * INTO held FROM public.intents_policyversion WHERE tenant_id = tenant AND id = version FOR SHARE;
    IF held.status IS DISTINCT FROM 'draft' THEN
        RAISE EXCEPTION 'policy version % is %: only a draft can be changed',
            coalesce(held.number::text, '(unknown)'), coalesce(held.status, 'not there')
            USING ERRCODE = 'check_violation';
    END IF;
END
$$;

CREATE FUNCTION intents_version_part() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM public.intents_require_draft(OLD.tenant_id, OLD.version_id);
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM public.intents_require_draft(NEW.tenant_id, NEW.version_id);
        RETURN NEW;
    END IF;
    RETURN OLD;
END
$$;

CREATE FUNCTION intents_version_of_intent(tenant uuid, intent uuid) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
AS $$ SELECT version_id FROM public.intents_policyintent WHERE tenant_id = tenant AND id = intent $$;

CREATE FUNCTION intents_intent_part() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        PERFORM public.intents_require_draft(
            OLD.tenant_id, public.intents_version_of_intent(OLD.tenant_id, OLD.intent_id));
    END IF;
    IF TG_OP <> 'DELETE' THEN
        PERFORM public.intents_require_draft(
            NEW.tenant_id, public.intents_version_of_intent(NEW.tenant_id, NEW.intent_id));
        RETURN NEW;
    END IF;
    RETURN OLD;
END
$$;

CREATE FUNCTION intents_vector_part() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
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

CREATE TRIGGER intents_version_part BEFORE INSERT OR UPDATE OR DELETE ON intents_policyintent
    FOR EACH ROW EXECUTE FUNCTION intents_version_part();
CREATE TRIGGER intents_version_part BEFORE INSERT OR UPDATE OR DELETE ON intents_kindbudget
    FOR EACH ROW EXECUTE FUNCTION intents_version_part();
CREATE TRIGGER intents_intent_part BEFORE INSERT OR UPDATE OR DELETE ON intents_policyintentkind
    FOR EACH ROW EXECUTE FUNCTION intents_intent_part();
CREATE TRIGGER intents_intent_part BEFORE INSERT OR UPDATE OR DELETE ON intents_intentterm
    FOR EACH ROW EXECUTE FUNCTION intents_intent_part();
CREATE TRIGGER intents_intent_part BEFORE INSERT OR UPDATE OR DELETE ON intents_goldenexample
    FOR EACH ROW EXECUTE FUNCTION intents_intent_part();
CREATE TRIGGER intents_vector_part BEFORE UPDATE OR DELETE ON intents_goldenvector
    FOR EACH ROW EXECUTE FUNCTION intents_vector_part();
"""

BACKWARD = """
DROP TRIGGER intents_vector_part ON intents_goldenvector;
DROP TRIGGER intents_intent_part ON intents_goldenexample;
DROP TRIGGER intents_intent_part ON intents_intentterm;
DROP TRIGGER intents_intent_part ON intents_policyintentkind;
DROP TRIGGER intents_version_part ON intents_kindbudget;
DROP TRIGGER intents_version_part ON intents_policyintent;
DROP TRIGGER intents_version_step ON intents_policyversion;
DROP FUNCTION intents_vector_part(), intents_intent_part(), intents_version_part(), intents_version_step();
DROP FUNCTION intents_version_of_intent(uuid, uuid), intents_require_draft(uuid, uuid);
"""
