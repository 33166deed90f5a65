-- An approval that lapsed stays lapsed: neither a role that is given again brings it back, nor an account that is opened
-- again. Otherwise as approvers.sql has it.
--
-- Whoever asks holds role and account until the end of their transaction (apps/tenants/sql/account_state.sql).
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
    RETURN EXISTS (SELECT FROM public.tenants_user WHERE id = approver AND is_active
                      AND (opened_again_at IS NULL OR opened_again_at <= given_at));
END
$$;
