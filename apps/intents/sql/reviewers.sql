-- Two reviewers, where the version in force asks for them (apps/intents/reviewers.py says the same, a test compares).

-- Whether a version takes two: by the rule of the one in force, which a draft can't lower for itself. A rule that this
-- release does not know counts as the strictest.
CREATE FUNCTION intents_takes_two(tenant uuid, in_force uuid, version uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
    now public.intents_policyversion;
BEGIN
    SELECT * INTO held FROM public.intents_policyversion WHERE tenant_id = tenant AND id = in_force;
    SELECT * INTO now FROM public.intents_policyversion WHERE tenant_id = tenant AND id = version;
    IF coalesce(held.two_reviewers_for, '{}') = '{}' THEN
        RETURN false;
    END IF;
    IF NOT held.two_reviewers_for <@ '{wider_reach,invariants,profile}'::varchar[]
        OR NOT (held.two_reviewers_for <@ now.two_reviewers_for AND now.two_reviewers_for <@ held.two_reviewers_for) THEN
        RETURN true;
    END IF;
    IF 'wider_reach' = ANY (held.two_reviewers_for) AND (
        now.minimum_score < held.minimum_score OR now.minimum_margin < held.minimum_margin
        OR now.minimum_term_points < held.minimum_term_points OR now.minimum_term_margin < held.minimum_term_margin
        -- Whichever way one of these goes, some questions come over the thresholds that did not before.
        OR (now.neighbours, now.term_weight, now.decisive_points, now.points_for_full_weight)
           <> (held.neighbours, held.term_weight, held.decisive_points, held.points_for_full_weight)
        OR EXISTS (
            SELECT intent.name, part.kind FROM public.intents_policyintent intent
              JOIN public.intents_policyintentkind part ON part.tenant_id = tenant AND part.intent_id = intent.id
             WHERE intent.tenant_id = tenant AND intent.version_id = version
            EXCEPT
            SELECT intent.name, part.kind FROM public.intents_policyintent intent
              JOIN public.intents_policyintentkind part ON part.tenant_id = tenant AND part.intent_id = intent.id
             WHERE intent.tenant_id = tenant AND intent.version_id = in_force)) THEN
        RETURN true;
    END IF;
    IF 'profile' = ANY (held.two_reviewers_for) AND EXISTS (
        WITH before AS (
            SELECT row_number() OVER (ORDER BY position), key, sort, name, terms, intents, text, in_question, in_answer
              FROM public.intents_policyprofilerule WHERE tenant_id = tenant AND version_id = in_force
        ), after AS (
            SELECT row_number() OVER (ORDER BY position), key, sort, name, terms, intents, text, in_question, in_answer
              FROM public.intents_policyprofilerule WHERE tenant_id = tenant AND version_id = version
        )
        (TABLE before EXCEPT TABLE after) UNION ALL (TABLE after EXCEPT TABLE before)) THEN
        RETURN true;
    END IF;
    RETURN 'invariants' = ANY (held.two_reviewers_for) AND EXISTS (
        WITH before AS (
            SELECT name, mode, roles, intents, kinds FROM public.intents_policyinvariant
             WHERE tenant_id = tenant AND version_id = in_force
        ), after AS (
            SELECT name, mode, roles, intents, kinds FROM public.intents_policyinvariant
             WHERE tenant_id = tenant AND version_id = version
        )
        (TABLE before EXCEPT TABLE after) UNION ALL (TABLE after EXCEPT TABLE before));
END
$$;

-- An approval is of the revision that stands there, against the version in force: once another one is, it counts no
-- longer, because what was read of the change is another thing. It is in the approver's own name: never the author's, nor by somebody in
-- whose hands the author's account, or another approver's of this revision, is.
CREATE FUNCTION intents_approval_written() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
BEGIN
    SELECT * INTO held FROM public.intents_policyversion
     WHERE tenant_id = NEW.tenant_id AND id = NEW.version_id FOR NO KEY UPDATE;
    IF held.status IS DISTINCT FROM 'in_review' OR held.revision <> NEW.revision THEN
        RAISE EXCEPTION 'an approval is of the revision that is in review' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT authz.acts_as(NEW.approver_id) OR NOT authz.may('policy.approve') THEN
        RAISE EXCEPTION 'policy version %: a review is made in the reviewer''s own name', held.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF held.author_id IS NULL OR authz.acts_as(held.author_id) OR tenants_same_hands(held.author_id) THEN
        RAISE EXCEPTION 'policy version %: a review is made by somebody else than its author', held.number
            USING ERRCODE = 'check_violation';
    END IF;
    NEW.against_id := public.intents_in_force(NEW.tenant_id);
    IF EXISTS (SELECT FROM public.intents_policyapproval other
                WHERE other.tenant_id = NEW.tenant_id AND other.version_id = NEW.version_id
                  AND other.revision = NEW.revision AND other.against_id = NEW.against_id
                  AND (other.approver_id = NEW.approver_id OR tenants_same_hands(other.approver_id))) THEN
        RAISE EXCEPTION 'policy version %: nobody approves it twice', held.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_approval_written BEFORE INSERT ON intents_policyapproval
    FOR EACH ROW EXECUTE FUNCTION intents_approval_written();
CREATE TRIGGER zz_second_person_approver_id BEFORE INSERT ON intents_policyapproval
    FOR EACH ROW EXECUTE FUNCTION tenants_second_person('', 'approver_id');

CREATE FUNCTION intents_approval_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF to_jsonb(NEW) - 'approver_label' IS DISTINCT FROM to_jsonb(OLD) - 'approver_label' THEN
        RAISE EXCEPTION 'an approval never changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_approval_kept BEFORE UPDATE ON intents_policyapproval
    FOR EACH ROW EXECUTE FUNCTION intents_approval_kept();

-- Whether two people approved the revision that stands there, against the same version in force.
CREATE FUNCTION intents_approved_by_two(version public.intents_policyversion) RETURNS boolean
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (
        SELECT FROM public.intents_policyapproval own
          JOIN public.intents_policyapproval other
            ON other.tenant_id = own.tenant_id AND other.version_id = own.version_id
           AND other.revision = own.revision AND other.against_id = own.against_id
           AND other.approver_id <> own.approver_id
         WHERE own.tenant_id = version.tenant_id AND own.version_id = version.id
           AND own.revision = version.revision AND own.approver_id = version.approver_id)
$$;

-- Whatever is approved and waits for its time is asked as well: what is in force then may be another version than now.
-- Without that, one reviewer's version could wait until another one has narrowed the policy or set the rule, and undo
-- it.
--
-- By its name it comes after intents_version_takes_over, and so after the lock that lets a tenant's approvals take turns.
CREATE FUNCTION intents_version_takes_two() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    in_force constant uuid := public.intents_in_force(NEW.tenant_id);
    waiting public.intents_policyversion;
    takes_two boolean := public.intents_takes_two(NEW.tenant_id, in_force, NEW.id);
BEGIN
    FOR waiting IN
        SELECT * FROM public.intents_policyversion
         WHERE tenant_id = NEW.tenant_id AND id <> NEW.id AND status = 'approved'
           AND effective_from > clock_timestamp() LOOP
        takes_two := takes_two OR public.intents_takes_two(NEW.tenant_id, waiting.id, NEW.id);
        IF (NEW.effective_from, NEW.number) < (waiting.effective_from, waiting.number)
            AND public.intents_takes_two(NEW.tenant_id, NEW.id, waiting.id)
            AND NOT public.intents_approved_by_two(waiting) THEN
            RAISE EXCEPTION
                'policy version % is to follow version % and would take two reviewers then: withdraw it first',
                waiting.number, NEW.number USING ERRCODE = 'check_violation';
        END IF;
    END LOOP;
    IF takes_two
        AND NOT EXISTS (SELECT FROM public.intents_policyapproval first
                         WHERE first.tenant_id = NEW.tenant_id AND first.version_id = NEW.id
                           AND first.revision = OLD.revision AND first.against_id = in_force
                           AND first.approver_id <> NEW.approver_id
                           AND NOT tenants_same_hands(first.approver_id)) THEN
        RAISE EXCEPTION 'policy version % takes two reviewers, and nobody else has approved revision %',
            NEW.number, OLD.revision USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_takes_two BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status = 'approved' AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_version_takes_two();
