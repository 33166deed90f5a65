-- The second factor: a code is taken once, a decision asks for one, and two people take a lost one away.
--
-- A step-up is worth as much as the factor it was made with. Recovery codes are as good as the factor: they are made
-- and taken away by who has just used it, and together with it. A lost factor is asked for of a member, and goes once
-- two people agreed in each tenant where its person approves.

-- Whether the acting person has a second factor that was confirmed.
CREATE FUNCTION tenants_factor_stands() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.tenants_secondfactor f
                    WHERE f.user_id = authz.person() AND f.confirmed_at IS NOT NULL);
END
$$;

-- Whether two people agreed, within the last seven days, in every tenant where this person approves: with the identity
-- of that person, which shows their memberships.
CREATE FUNCTION tenants_factor_given_up(account uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN authz.identity(1) IS NOT DISTINCT FROM account::text
        AND EXISTS (SELECT FROM public.tenants_factorreset r
                     WHERE r.tenant_id = (SELECT authz.tenant()) AND r.user_id = account AND r.agreed_at = now())
        AND NOT EXISTS (
            SELECT FROM public.tenants_membership m
             WHERE m.user_id = account AND m.confirmed_at IS NOT NULL AND m.revoked_at IS NULL
               AND cardinality(public.tenants_role_approves(m.role)) > 0
               AND NOT EXISTS (SELECT FROM public.tenants_factorreset r JOIN public.tenants_secondfactor f
                                   ON f.user_id = r.user_id
                                WHERE r.tenant_id = m.tenant_id AND r.user_id = account
                                  AND (r.agreed_at = now() OR r.agreed_at >= coalesce(f.confirmed_at, f.created_at))
                                  AND r.agreed_at > now() - interval '7 days'));
END
$$;
REVOKE ALL ON FUNCTION tenants_factor_stands(), tenants_factor_given_up(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_factor_stands(), tenants_factor_given_up(uuid) TO glassbox_api, glassbox_worker;
GRANT EXECUTE ON FUNCTION tenants_factor_stands() TO glassbox_eraser;
GRANT SELECT (tenant_id, user_id, role, confirmed_at, revoked_at) ON tenants_membership TO glassbox_remover;
GRANT SELECT (user_id, created_at, confirmed_at) ON tenants_secondfactor TO glassbox_remover;
GRANT SELECT (tenant_id, user_id, agreed_at) ON tenants_factorreset TO glassbox_remover;

CREATE FUNCTION tenants_factor_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        -- One that was never confirmed is nobody's yet.
        IF OLD.confirmed_at IS NOT NULL AND NOT (authz.acts_as(OLD.user_id) AND authz.may('factor.used'))
            AND NOT tenants_factor_given_up(OLD.user_id) THEN
            RAISE EXCEPTION 'a second factor is taken away by its person with a code, or by two others of each tenant'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.confirmed_at := NULL;
        NEW.last_step := 0;
        RETURN NEW;
    END IF;
    IF (NEW.user_id, NEW.sealed, NEW.created_at) IS DISTINCT FROM (OLD.user_id, OLD.sealed, OLD.created_at)
        OR NEW.last_step <= OLD.last_step
        OR (OLD.confirmed_at IS NOT NULL AND NEW.confirmed_at <> OLD.confirmed_at) THEN
        RAISE EXCEPTION 'a code is taken once, and the secret of a second factor stays'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_factor_step BEFORE INSERT OR UPDATE OR DELETE ON tenants_secondfactor
    FOR EACH ROW EXECUTE FUNCTION tenants_factor_step();

CREATE FUNCTION tenants_recovery_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    account uuid := (CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END ->> 'user_id')::uuid;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF OLD.used_at IS NOT NULL OR (to_jsonb(NEW) - 'used_at') IS DISTINCT FROM (to_jsonb(OLD) - 'used_at') THEN
            RAISE EXCEPTION 'a recovery code is used once' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NOT (authz.acts_as(account) AND authz.may('factor.used') AND tenants_factor_stands())
        AND NOT (TG_OP = 'DELETE' AND tenants_factor_given_up(account)) THEN
        RAISE EXCEPTION 'recovery codes are written by who has just used the second factor'
            USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN
        RETURN OLD;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_recovery_step BEFORE INSERT OR UPDATE OR DELETE ON tenants_recoverycode
    FOR EACH ROW EXECUTE FUNCTION tenants_recovery_step();

CREATE FUNCTION tenants_factorreset_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.asked_by_id := authz.person();
        NEW.asked_at := now();
        NEW.agreed_by_id := NULL;
        NEW.agreed_at := NULL;
        NEW.revoked_at := NULL;
        IF NEW.asked_by_id IS NULL OR NOT authz.may('member.manage') OR NEW.asked_by_id = NEW.user_id THEN
            RAISE EXCEPTION 'who manages members asks to take somebody else''s second factor away'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.agreed_at IS NOT NULL OR OLD.revoked_at IS NOT NULL
        OR (NEW.id, NEW.tenant_id, NEW.user_id, NEW.reason, NEW.asked_by_id, NEW.asked_at)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.user_id, OLD.reason, OLD.asked_by_id, OLD.asked_at) THEN
        RAISE EXCEPTION 'what was asked stays, and is settled once' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.agreed_at, NEW.agreed_by_id) IS DISTINCT FROM (OLD.agreed_at, OLD.agreed_by_id) THEN
        NEW.agreed_by_id := authz.person();
        NEW.agreed_at := now();
        IF NEW.agreed_by_id IS NULL OR NOT authz.may('key.own')
            OR NOT (authz.may('policy.approve') OR authz.may('privacy.approve'))
            OR tenants_same_hands(OLD.user_id) THEN
            RAISE EXCEPTION 'a second person who may approve agrees, and not the one whose factor it is'
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_factorreset_step BEFORE INSERT OR UPDATE ON tenants_factorreset
    FOR EACH ROW EXECUTE FUNCTION tenants_factorreset_step();

CREATE FUNCTION tenants_factorreset_of_member() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM tenants_membership m
                    WHERE m.tenant_id = NEW.tenant_id AND m.user_id = NEW.user_id AND m.revoked_at IS NULL) THEN
        RAISE EXCEPTION 'the second factor of a member alone is taken away' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_factorreset_of_member BEFORE INSERT OR UPDATE OF agreed_at ON tenants_factorreset
    FOR EACH ROW EXECUTE FUNCTION tenants_factorreset_of_member();
