-- What the database holds of a policy version beside its steps (apps/intents/flow.py).
--
-- A draft belongs to its author, a review is somebody else's, in their own name. The names are those of the signed
-- scope token, so that no statement can be made in another person's. Nobody is exempt: no role, setting or variable
-- switches these triggers off for the application. With its tenant a version goes: glassbox_remover removes it then,
-- and nobody is that role.

-- A version is in force from the time that its approval names, whenever that is recorded. The lock lets approvals of a
-- tenant, and what they put in force, take turns: the time is set by whoever has it, so that none of them ever lies
-- before one that was committed earlier.
CREATE FUNCTION intents_version_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    step text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.author_id IS NOT NULL AND NOT (authz.acts_as(NEW.author_id) AND authz.may('policy.edit')) THEN
            RAISE EXCEPTION 'a policy version is written in its author''s own name' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF OLD.status = 'draft' AND OLD.author_id IS NOT NULL AND NOT authz.acts_as(OLD.author_id) THEN
        RAISE EXCEPTION 'policy version %: only its author may change a draft', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;

    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'policy version % is %: only a draft can be deleted', OLD.number, OLD.status
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;

    IF (NEW.id, NEW.tenant_id, NEW.number, NEW.origin, NEW.created_at, NEW.author_id, NEW.author_label)
        IS DISTINCT FROM
        (OLD.id, OLD.tenant_id, OLD.number, OLD.origin, OLD.created_at, OLD.author_id, OLD.author_label) THEN
        RAISE EXCEPTION 'a policy version keeps its id, tenant, number, origin and author'
            USING ERRCODE = 'check_violation';
    END IF;

    step := OLD.status || ' to ' || NEW.status;
    IF step = 'approved to withdrawn' AND OLD.effective_from <= clock_timestamp() THEN
        RAISE EXCEPTION 'policy version % is in force since %', OLD.number, OLD.effective_from
            USING ERRCODE = 'check_violation';
    END IF;
    IF step IN ('in_review to approved', 'approved to active') THEN
        PERFORM FROM public.intents_policyversion
            WHERE tenant_id = NEW.tenant_id AND status = 'active' FOR NO KEY UPDATE;
    END IF;
    IF step = 'in_review to approved' AND NEW.effective_from IS NOT NULL THEN
        NEW.effective_from := greatest(NEW.effective_from, clock_timestamp());
    END IF;
    IF step = 'approved to active' AND EXISTS (
        SELECT FROM public.intents_policyversion
         WHERE tenant_id = NEW.tenant_id AND status = 'approved'
           AND (effective_from, number) < (OLD.effective_from, OLD.number)
    ) THEN
        RAISE EXCEPTION 'policy version %: versions come into force in the order of their times', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF step = 'approved to active' AND OLD.effective_from > clock_timestamp() THEN
        RAISE EXCEPTION 'policy version % takes effect at %', OLD.number, OLD.effective_from
            USING ERRCODE = 'check_violation';
    END IF;

    IF NEW.status = 'active' AND OLD.status <> 'active' THEN
        -- When its approval says, whenever that is recorded: until then the time alone has decided.
        NEW.valid_from := CASE WHEN step = 'approved to active' THEN greatest(OLD.effective_from, (
            SELECT valid_from FROM public.intents_policyversion WHERE tenant_id = NEW.tenant_id AND status = 'active'
        )) ELSE clock_timestamp() END;
        UPDATE public.intents_policyversion
            SET status = 'superseded', valid_to = NEW.valid_from
            WHERE tenant_id = NEW.tenant_id AND status = 'active';
    END IF;

    -- Whatever column a later migration adds is immutable too, unless it is named here.
    IF OLD.status <> 'draft' AND (to_jsonb(NEW) - (
            '{decided_revision,status,approver_id,approver_label,decided_at,decision_reason,'
            'effective_from,submitted_at,valid_from,valid_to}'
        )::text[])
        IS DISTINCT FROM (to_jsonb(OLD) - (
            '{decided_revision,status,approver_id,approver_label,decided_at,decision_reason,'
            'effective_from,submitted_at,valid_from,valid_to}'
        )::text[]) THEN
        RAISE EXCEPTION 'policy version % is %: only a draft can be changed', OLD.number, OLD.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_step BEFORE INSERT OR UPDATE OR DELETE ON intents_policyversion
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_version_step();

-- What is approved is what was read: a decision names the revision that it is about. A revision counts what whoever
-- decides has to read, which of a policy is each submission. Another one than stands there is refused, whoever sends
-- it.
CREATE FUNCTION intents_version_stepped_revision() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.revision <> 1 OR NEW.decided_revision IS NOT NULL THEN
            RAISE EXCEPTION 'what is to be decided on begins with its first revision' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.status <> NEW.status
        AND OLD.status || ' to ' || NEW.status IN (
            'in_review to approved', 'in_review to rejected', 'in_review to draft') THEN
        IF NEW.decided_revision IS DISTINCT FROM OLD.revision THEN
            RAISE EXCEPTION 'nothing is decided: revision % stands there, and % was read',
                OLD.revision, coalesce(NEW.decided_revision::text, 'none') USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.decided_revision IS DISTINCT FROM OLD.decided_revision THEN
        RAISE EXCEPTION 'which revision was decided on is set by the decision' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.revision IS DISTINCT FROM OLD.revision
        AND NOT (OLD.status = 'draft' AND NEW.status = 'draft' AND NEW.revision = OLD.revision + 1) THEN
        RAISE EXCEPTION 'revisions are counted by the database' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.status <> NEW.status
        AND OLD.status || ' to ' || NEW.status IN ('draft to in_review') THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_stepped BEFORE INSERT OR UPDATE ON intents_policyversion
    FOR EACH ROW EXECUTE FUNCTION intents_version_stepped_revision();

CREATE FUNCTION intents_version_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    -- The platform writes versions that are nobody's; no role of a tenant holds this permission.
    IF (NEW.author_id IS NULL OR NEW.origin = 'baseline') AND NOT authz.may('glassbox.platform') THEN
        RAISE EXCEPTION 'a policy version is written in its author''s own name' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_without_past BEFORE INSERT ON intents_policyversion
    FOR EACH ROW EXECUTE FUNCTION intents_version_begins();

-- Only drafts can be deleted at all (intents_version_step). One that the log speaks of can't be, whoever asks.
CREATE FUNCTION intents_version_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM public.audit_event WHERE tenant_id = OLD.tenant_id AND subject_id = OLD.id) THEN
        RAISE EXCEPTION 'policy version % is referenced by an event: it is kept; discard the draft instead', OLD.number
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER policy_version_kept BEFORE DELETE ON intents_policyversion
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_version_kept();

-- An index of a tenant's table is led by the tenant: one by author alone visits every tenant's versions.
DROP INDEX intents_policyversion_approver_id_8e02f8ad, intents_policyversion_author_id_76805f9c;
CREATE INDEX intents_policyversion_approver_id_8e02f8ad ON intents_policyversion (tenant_id, approver_id);
CREATE INDEX intents_policyversion_author_id_76805f9c ON intents_policyversion (tenant_id, author_id);
