-- The first of two approvals stands for as long as its giver may approve. Once their role or membership has ended, or an
-- erasure has removed it, it no longer counts. A role that is given again does not revive it: the role is the younger.

-- Whoever asks holds the membership until the end of their transaction, so that it does not end beside an approval that
-- rests on it.
CREATE FUNCTION intents_approval_stands(tenant uuid, approver uuid, given_at timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM public.tenants_membership
      WHERE tenant_id = tenant AND user_id = approver AND revoked_at IS NULL AND confirmed_at <= given_at
        AND public.tenants_role_approves(role) @> ARRAY['policy.approve'] FOR SHARE;
    RETURN FOUND;
END
$$;
REVOKE ALL ON FUNCTION intents_approval_stands(uuid, uuid, timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION intents_approval_stands(uuid, uuid, timestamptz) TO glassbox_api, glassbox_worker;

-- By its name it comes after intents_version_takes_two, which asks whether there is a first approval at all.
CREATE FUNCTION intents_version_takes_two_standing() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    in_force constant uuid := public.intents_in_force(NEW.tenant_id);
    first public.intents_policyapproval;
    has_lapsed boolean := false;
BEGIN
    FOR first IN
        SELECT * FROM public.intents_policyapproval
         WHERE tenant_id = NEW.tenant_id AND version_id = NEW.id AND revision = OLD.revision
           AND against_id = in_force AND approver_id <> NEW.approver_id LOOP
        IF NOT tenants_same_hands(first.approver_id)
            AND public.intents_approval_stands(NEW.tenant_id, first.approver_id, first.created_at) THEN
            RETURN NEW;
        END IF;
        has_lapsed := true;
    END LOOP;
    IF has_lapsed THEN
        RAISE EXCEPTION 'policy version %: the first approval has lapsed, since who gave it may not approve any more',
            NEW.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_takes_two_standing BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status = 'approved' AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_version_takes_two_standing();
