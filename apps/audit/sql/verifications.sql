-- Verifications of the log: a finished one stays as it is, and no time in a row keeps the next one waiting.

CREATE FUNCTION audit_verification_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.state = 'waiting' AND NEW.finished_at IS NULL AND NEW.started_at IS NULL AND NEW.attempts = 0
           AND NEW.leaves = 0 AND NEW.finding_count = 0 AND NEW.findings = '{}'::jsonb AND NEW.error_code = ''
        THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'a verification begins without a result' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD.finished_at IS NULL AND OLD.state IN ('waiting', 'running')
           AND (NEW.id, NEW.tenant_id, NEW.requested_at) = (OLD.id, OLD.tenant_id, OLD.requested_at)
           AND NEW.started_by IS NOT DISTINCT FROM OLD.started_by AND NEW.night IS NOT DISTINCT FROM OLD.night
        THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'verifications are kept as they ended: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_verification_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_verification
    FOR EACH ROW EXECUTE FUNCTION audit_verification_is_kept();
CREATE TRIGGER audit_verification_no_truncate BEFORE TRUNCATE ON audit_verification
    FOR EACH STATEMENT EXECUTE FUNCTION audit_verification_is_kept();

-- As apps/tenants/sweeping.py says: no lease and no wait of ours is longer.
CREATE FUNCTION audit_verification_in_time() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_ timestamptz := clock_timestamp();
    longest timestamptz := now_ + interval '12 hours';
BEGIN
    IF TG_OP = 'INSERT' AND (NEW.note <> '' OR NEW.requested_at > now_ + interval '5 minutes'
        OR NEW.night > (now_ AT TIME ZONE 'UTC')::date + 1) THEN
        RAISE EXCEPTION 'a verification is asked for now, and says nothing yet'
            USING ERRCODE = 'check_violation';
    END IF;
    -- What stands in a row already can be put right.
    IF NEW.lease_until > longest AND (TG_OP = 'INSERT' OR NEW.lease_until IS DISTINCT FROM OLD.lease_until)
        OR NEW.next_attempt_at > longest
           AND (TG_OP = 'INSERT' OR NEW.next_attempt_at IS DISTINCT FROM OLD.next_attempt_at)
        OR NEW.finished_at > now_ + interval '5 minutes' OR NEW.started_at > now_ + interval '5 minutes' THEN
        RAISE EXCEPTION 'a verification waits for hours at most' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_verification_in_time BEFORE INSERT OR UPDATE ON audit_verification
    FOR EACH ROW EXECUTE FUNCTION audit_verification_in_time();

-- The clock's are the platform's own. A person's, or a key's, are of who may see what comes of them.
CREATE POLICY verification_asked_for ON audit_verification AS RESTRICTIVE FOR INSERT TO PUBLIC WITH CHECK (
    CASE WHEN started_by IS NULL THEN (SELECT authz.may('*'))
         ELSE (SELECT authz.may('audit.view')) OR (SELECT authz.may('privacy.manage')) END
);
-- What a run may change of its row: not who asked for it, nor when, nor whose log it is.
GRANT UPDATE (
    state, done, total, started_at, finished_at, duration_ms, lease_owner, lease_until, attempts, next_attempt_at,
    checkpoint_size, covered_size, events, leaves, groups, finding_count, findings, error_code, note
) ON audit_verification TO glassbox_worker;
