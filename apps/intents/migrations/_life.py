"""Who may take which step of a policy version's life, held by the database. Part of migration 0002.

It replaces the functions of _immutability.py: a draft belongs to its author, a review is somebody else's, in their own
name. The names are those of the signed scope token, so that no statement can be made in another person's.
"""

from __future__ import annotations

from apps.intents.migrations import _immutability

_DECIDED = (
    "status,approver_id,approver_label,decided_at,decision_reason,effective_from,submitted_at,valid_from,valid_to"
)

_FUNCTIONS = """
CREATE OR REPLACE FUNCTION intents_version_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    step text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status <> 'draft' THEN
            RAISE EXCEPTION 'a policy version starts as a draft' USING ERRCODE = 'check_violation';
        END IF;
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
    IF NEW.status <> OLD.status AND NOT (
        step IN ('draft to in_review', 'in_review to draft', 'in_review to approved', 'in_review to rejected',
                 'approved to active', 'draft to withdrawn', 'in_review to withdrawn', 'approved to withdrawn')
        OR (step = 'draft to active' AND OLD.origin = 'baseline')
        -- A version gives way to its successor and to nothing else: only the activation below takes this step.
        OR (step = 'active to superseded' AND pg_trigger_depth() > 1)
    ) THEN
        RAISE EXCEPTION 'policy version % can''t go from % to %', OLD.number, OLD.status, NEW.status
            USING ERRCODE = 'check_violation';
    END IF;

    IF step IN ('in_review to draft', 'in_review to approved', 'in_review to rejected')
        AND (NOT authz.may('policy.approve') OR authz.acts_as(OLD.author_id)) THEN
        RAISE EXCEPTION 'policy version %: a review is made by somebody else, who may approve', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF step IN ('in_review to approved', 'in_review to rejected')
        AND (NEW.approver_id IS NULL OR NOT authz.acts_as(NEW.approver_id)) THEN
        RAISE EXCEPTION 'policy version %: a review is made in the reviewer''s own name', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF step IN ('in_review to withdrawn', 'approved to withdrawn')
        AND NOT (authz.acts_as(OLD.author_id) OR authz.may('policy.approve')) THEN
        RAISE EXCEPTION 'policy version %: it is withdrawn by its author or by who may approve', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF step = 'approved to active'
        AND (NOT authz.may('policy.approve') OR OLD.effective_from > clock_timestamp()) THEN
        RAISE EXCEPTION 'policy version % takes effect at %', OLD.number, OLD.effective_from
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
    IF NEW.valid_to IS DISTINCT FROM OLD.valid_to AND step <> 'active to superseded' THEN
        RAISE EXCEPTION 'policy version %: valid_to is set by its successor', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.approver_id, NEW.approver_label) IS DISTINCT FROM (OLD.approver_id, OLD.approver_label)
        AND step NOT IN ('in_review to approved', 'in_review to rejected') THEN
        RAISE EXCEPTION 'policy version %: the approver is set by the review', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.effective_from IS DISTINCT FROM OLD.effective_from AND step <> 'in_review to approved' THEN
        RAISE EXCEPTION 'policy version %: when it takes effect is set by the review', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.decided_at, NEW.decision_reason) IS DISTINCT FROM (OLD.decided_at, OLD.decision_reason)
        AND step NOT IN ('in_review to approved', 'in_review to rejected', 'draft to withdrawn',
                         'in_review to withdrawn', 'approved to withdrawn') THEN
        RAISE EXCEPTION 'policy version %: a decision is set by whoever decides', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.submitted_at IS DISTINCT FROM OLD.submitted_at
        AND step NOT IN ('draft to in_review', 'in_review to draft') THEN
        RAISE EXCEPTION 'policy version %: when it was submitted is set by the submission', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;

    -- Whatever column a later migration adds is immutable too, unless it is named here.
    IF OLD.status <> 'draft' AND (to_jsonb(NEW) - '{decided}'::text[])
        IS DISTINCT FROM (to_jsonb(OLD) - '{decided}'::text[]) THEN
        RAISE EXCEPTION 'policy version % is %: only a draft can be changed', OLD.number, OLD.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

-- Raises unless the version is a draft of whoever acts. FOR SHARE waits for a submission under way, so that nothing slips
-- in after it.
CREATE OR REPLACE FUNCTION intents_require_draft(tenant uuid, version uuid) RETURNS void
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
    IF held.author_id IS NOT NULL AND NOT authz.acts_as(held.author_id) THEN
        RAISE EXCEPTION 'policy version %: only its author may change a draft', held.number
            USING ERRCODE = 'check_violation';
    END IF;
END
$$;
"""

FORWARD = _FUNCTIONS.replace("{decided}", "{" + _DECIDED + "}")

BACKWARD = "".join(
    f"CREATE OR REPLACE FUNCTION {name}{_immutability.FORWARD.partition(f'CREATE FUNCTION {name}')[2].partition('$$;')[0]}$$;"
    for name in ("intents_version_step", "intents_require_draft")
)
