"""The second factor, held by the database: a code is taken once, a decision asks for one, two take a lost one away.

`factor.used` stands in the token of a person who entered a code within the last minutes; `factor.fresh` there too, and
where the installation asks for none (GLASSBOX_REQUIRE_SECOND_FACTOR).
"""

from apps.tenants.migrations import _decisions

_FUNCTIONS = """
CREATE FUNCTION tenants_factor_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        -- One that was never confirmed is nobody's yet.
        IF OLD.confirmed_at IS NOT NULL AND NOT (authz.acts_as(OLD.user_id) AND authz.may('factor.used'))
            AND NOT EXISTS (SELECT FROM tenants_factorreset r
                             WHERE r.tenant_id = (SELECT authz.tenant()) AND r.user_id = OLD.user_id
                               AND r.agreed_at = now()) THEN
            RAISE EXCEPTION 'a second factor is taken away by its person with a code, or by two others'
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
        OR NEW.last_step <= OLD.last_step OR (OLD.confirmed_at IS NOT NULL AND NEW.confirmed_at <> OLD.confirmed_at) THEN
        RAISE EXCEPTION 'a code is taken once, and the secret of a second factor stays' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_factor_step BEFORE INSERT OR UPDATE OR DELETE ON tenants_secondfactor
    FOR EACH ROW EXECUTE FUNCTION tenants_factor_step();

CREATE FUNCTION tenants_recovery_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF OLD.used_at IS NOT NULL OR (to_jsonb(NEW) - 'used_at') IS DISTINCT FROM (to_jsonb(OLD) - 'used_at') THEN
        RAISE EXCEPTION 'a recovery code is used once' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_recovery_step BEFORE UPDATE ON tenants_recoverycode
    FOR EACH ROW EXECUTE FUNCTION tenants_recovery_step();

CREATE FUNCTION tenants_factorreset_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
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

-- Whether whoever made a key that acts for them had just entered a code: taken from the token.
CREATE FUNCTION tenants_key_factor() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    NEW.with_second_factor := NEW.person_id IS NOT NULL AND authz.may('factor.used') AND authz.acts_as(NEW.person_id);
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_key_factor BEFORE INSERT ON tenants_apikey
    FOR EACH ROW EXECUTE FUNCTION tenants_key_factor();
"""

FORWARD = (
    _FUNCTIONS
    + _decisions.FORWARD.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION").replace(
        """    IF tenants_same_hands(asked) THEN""",
        """    IF NOT authz.may('factor.fresh') THEN
        RAISE EXCEPTION 'a decision is made right after the second factor was used' USING ERRCODE = 'check_violation';
    END IF;
    IF tenants_same_hands(asked) THEN""",
    )
    + _decisions.trigger("tenants_factorreset", "asked_by_id", "agreed_by_id")
)

BACKWARD = (
    _decisions.no_trigger("tenants_factorreset", "agreed_by_id")
    + _decisions.FORWARD.replace("CREATE FUNCTION", "CREATE OR REPLACE FUNCTION")
    + """
DROP TRIGGER tenants_key_factor ON tenants_apikey;
DROP TRIGGER tenants_factorreset_step ON tenants_factorreset;
DROP TRIGGER tenants_recovery_step ON tenants_recoverycode;
DROP TRIGGER tenants_factor_step ON tenants_secondfactor;
DROP FUNCTION tenants_key_factor();
DROP FUNCTION tenants_factorreset_step();
DROP FUNCTION tenants_recovery_step();
DROP FUNCTION tenants_factor_step();
"""
)
