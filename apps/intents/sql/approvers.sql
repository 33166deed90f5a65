-- Both who approved first and who approves last may approve as the version becomes approved: they hold a role that
-- approves, since before they approved, and their account is active. What their token says is from when they signed in.

-- As standing_approvals.sql has it, and for an account that is active. One that is activated again brings its approval
-- back, as a role that is given again does not: who was only kept from signing in kept the role.
--
-- Whoever asks holds both until the end of their transaction (apps/tenants/sql/account_state.sql).
CREATE OR REPLACE FUNCTION intents_approval_stands(tenant uuid, approver uuid, given_at timestamptz) RETURNS boolean
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM FROM public.tenants_membership
      WHERE tenant_id = tenant AND user_id = approver AND revoked_at IS NULL AND confirmed_at <= given_at
        AND public.tenants_role_approves(role) @> ARRAY['policy.approve'] FOR SHARE;
    IF NOT FOUND THEN
        RETURN false;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext('state of an account'), hashtext(approver::text));
    RETURN EXISTS (SELECT FROM public.tenants_user WHERE id = approver AND is_active);
END
$$;

CREATE FUNCTION intents_version_who_approves() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT public.intents_approval_stands(NEW.tenant_id, NEW.approver_id, clock_timestamp()) THEN
        RAISE EXCEPTION 'policy version %: whoever approves it may not approve any more', NEW.number
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after those that say what else is wrong with the step.
CREATE TRIGGER intents_version_who_approves BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status = 'approved' AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_version_who_approves();
