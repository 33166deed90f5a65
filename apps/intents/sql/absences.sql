-- Absences of reviewers: who records and ends one, and who may deputise. No right follows from one: rights are the roles'.

-- Whether somebody holds a role that approves policies now.
CREATE FUNCTION intents_may_review(tenant uuid, person uuid) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT EXISTS (SELECT FROM public.tenants_membership
        WHERE tenant_id = tenant AND user_id = person
          AND public.tenants_role_approves(role) @> ARRAY['policy.approve']
          AND confirmed_at IS NOT NULL AND revoked_at IS NULL)
$$;
REVOKE ALL ON FUNCTION intents_may_review(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION intents_may_review(uuid, uuid) TO glassbox_api, glassbox_worker;

CREATE FUNCTION intents_absence_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF authz.person() IS NULL
        OR NOT (authz.may('member.manage') OR authz.acts_as(NEW.member_id) AND authz.may('policy.approve')) THEN
        RAISE EXCEPTION 'an absence is recorded and ended by its own reviewer, or by who manages members'
            USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'UPDATE' THEN
        IF OLD.ended_at IS NOT NULL OR NEW.ended_at IS NULL OR OLD.ends_at <= clock_timestamp()
            OR to_jsonb(NEW) - '{ended_at,ended_by_id}'::text[] IS DISTINCT FROM
               to_jsonb(OLD) - '{ended_at,ended_by_id}'::text[] THEN
            RAISE EXCEPTION 'an absence stays as it was recorded, but for its early end'
                USING ERRCODE = 'check_violation';
        END IF;
        NEW.ended_by_id := authz.person();
        RETURN NEW;
    END IF;
    NEW.recorded_by_id := authz.person();
    NEW.ended_by_id := NULL;
    NEW.ended_at := NULL;
    -- Absences of a tenant take turns, as approvals do: two at once would not see each other.
    PERFORM FROM public.intents_policyversion
        WHERE tenant_id = NEW.tenant_id AND status = 'active' FOR NO KEY UPDATE;
    IF NEW.begins_at < clock_timestamp() - interval '7 days' OR NEW.ends_at <= clock_timestamp() THEN
        RAISE EXCEPTION 'an absence ends in the future, and began at most 7 days ago' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT public.intents_may_review(NEW.tenant_id, NEW.member_id) THEN
        RAISE EXCEPTION 'an absence is that of a reviewer' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.deputy_id = NEW.member_id
        OR NEW.deputy_id IS NOT NULL AND NOT public.intents_may_review(NEW.tenant_id, NEW.deputy_id) THEN
        RAISE EXCEPTION 'a deputy is another reviewer' USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (SELECT FROM public.intents_absence other
                WHERE other.tenant_id = NEW.tenant_id AND other.member_id = NEW.member_id
                  AND other.begins_at < NEW.ends_at
                  AND NEW.begins_at < least(other.ends_at, coalesce(other.ended_at, other.ends_at))) THEN
        RAISE EXCEPTION 'absences of one person do not overlap' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_absence_step BEFORE INSERT OR UPDATE ON intents_absence
    FOR EACH ROW EXECUTE FUNCTION intents_absence_step();
