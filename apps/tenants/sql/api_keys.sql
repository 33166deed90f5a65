-- API keys: a key of the tenant's is made by a person who is signed in, a key of a person's ends with what it stands
-- on, and an ended key stays ended.

-- A key that made another one would outlive its own revocation, and could make one of a role that may more than its
-- own. What signs by a key lacks key.own; the platform's own token holds everything.
CREATE POLICY by_who_is_signed_in ON tenants_apikey AS RESTRICTIVE FOR INSERT
    TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser WITH CHECK ((SELECT authz.may('key.own')));

-- Whether whoever made a key that acts for them had just entered a code: taken from the token.
CREATE FUNCTION tenants_key_factor() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    NEW.with_second_factor := NEW.person_id IS NOT NULL AND authz.may('factor.used') AND authz.acts_as(NEW.person_id)
        AND tenants_factor_stands();
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_key_factor BEFORE INSERT ON tenants_apikey
    FOR EACH ROW EXECUTE FUNCTION tenants_key_factor();

-- A name can hold a person's, and an erasure asks for it whether the key is in use or not.
CREATE FUNCTION tenants_apikey_ended() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF to_jsonb(NEW) - 'name' IS DISTINCT FROM to_jsonb(OLD) - 'name' THEN
        RAISE EXCEPTION 'of a key that was revoked, the name alone changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_apikey_ended BEFORE UPDATE ON tenants_apikey FOR EACH ROW
    WHEN (OLD.revoked_at IS NOT NULL) EXECUTE FUNCTION tenants_apikey_ended();

CREATE FUNCTION tenants_apikey_stays_ended() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF OLD.expires_at IS NOT NULL AND coalesce(NEW.expires_at > OLD.expires_at, true)
        OR OLD.revoked_at IS NOT NULL AND NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
        RAISE EXCEPTION 'the end of a key only comes forward' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_apikey_stays_ended BEFORE UPDATE OF expires_at, revoked_at ON tenants_apikey
    FOR EACH ROW EXECUTE FUNCTION tenants_apikey_stays_ended();

-- A key of a person's ends with the membership whose role it has; one that was made with a second factor ends with that
-- factor, and with the password, once that is set by a mailed link.
CREATE FUNCTION tenants_personal_keys_end() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_TABLE_NAME = 'tenants_membership' THEN
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE tenant_id = NEW.tenant_id AND person_id = NEW.user_id AND role = NEW.role AND revoked_at IS NULL;
    ELSIF TG_TABLE_NAME = 'tenants_secondfactor' THEN
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE person_id = OLD.user_id AND with_second_factor AND revoked_at IS NULL;
    ELSE
        UPDATE public.tenants_apikey SET revoked_at = now()
         WHERE person_id = NEW.user_id AND with_second_factor AND revoked_at IS NULL;
    END IF;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tenants_personal_keys_end() FROM PUBLIC;
GRANT SELECT (tenant_id, person_id, role, with_second_factor, revoked_at, created_at, prefix), UPDATE (revoked_at)
    ON tenants_apikey TO glassbox_remover;
CREATE TRIGGER tenants_personal_keys_end AFTER UPDATE OF revoked_at ON tenants_membership FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_end AFTER DELETE ON tenants_secondfactor FOR EACH ROW
    WHEN (OLD.confirmed_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_end AFTER UPDATE OF used_at ON tenants_accountlink FOR EACH ROW
    WHEN (NEW.purpose = 'password') EXECUTE FUNCTION tenants_personal_keys_end();
-- It is no older than what it stands on, either: a membership or a factor that begins ends the keys of before. What
-- ended the earlier one did not see a key that was being made at the same moment, and nobody else's clock is asked.
CREATE TRIGGER tenants_personal_keys_begin AFTER INSERT ON tenants_membership FOR EACH ROW
    EXECUTE FUNCTION tenants_personal_keys_end();
CREATE TRIGGER tenants_personal_keys_begin AFTER UPDATE OF confirmed_at ON tenants_secondfactor FOR EACH ROW
    WHEN (OLD.confirmed_at IS NULL AND NEW.confirmed_at IS NOT NULL) EXECUTE FUNCTION tenants_personal_keys_end();
