-- Links that are sent by mail: they end with what they stand on, and their secret is the platform's.
--
-- A password that is set, and an address that changes, end every other link of the account, in the same transaction. A
-- link to set a password works while the account has the mailbox that it was sent to. Who makes one says so in a token
-- of its own (Identity.mails), which no look-up is ever given.

CREATE FUNCTION tenants_accountlink_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF (TG_OP = 'INSERT' OR OLD.used_at IS NULL) AND NEW.purpose = 'password'
        AND NOT tenants_has_mailbox(NEW.user_id, NEW.email) THEN
        RAISE EXCEPTION 'a link to set a password is for the mailbox of its account' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.created_at := clock_timestamp();
        NEW.expires_at := clock_timestamp() + interval '1 hour';
        NEW.used_at := NULL;
        RETURN NEW;
    END IF;
    IF (to_jsonb(NEW) - 'used_at') IS DISTINCT FROM (to_jsonb(OLD) - 'used_at') OR OLD.used_at IS NOT NULL
        OR OLD.expires_at <= clock_timestamp() THEN
        RAISE EXCEPTION 'a link is used once, before it expires' USING ERRCODE = 'check_violation';
    END IF;
    IF authz.identity(1) IS DISTINCT FROM OLD.user_id::text THEN
        RAISE EXCEPTION 'a link is used for its account' USING ERRCODE = 'check_violation';
    END IF;
    NEW.used_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountlink_step BEFORE INSERT OR UPDATE ON tenants_accountlink
    FOR EACH ROW EXECUTE FUNCTION tenants_accountlink_step();

-- Argument: the column that names the account.
CREATE FUNCTION tenants_links_end() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    account uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
BEGIN
    DELETE FROM public.tenants_accountlink WHERE user_id = account AND used_at IS NULL;
    RETURN NULL;
END
$$;
REVOKE ALL ON FUNCTION tenants_links_end() FROM PUBLIC;
GRANT SELECT (user_id, used_at, token_sha256, expires_at), DELETE ON tenants_accountlink TO glassbox_remover;
CREATE TRIGGER tenants_links_end AFTER INSERT OR UPDATE ON tenants_credential
    FOR EACH ROW EXECUTE FUNCTION tenants_links_end('user_id');
CREATE TRIGGER tenants_links_end AFTER UPDATE OF email ON tenants_user FOR EACH ROW
    WHEN (NEW.email <> OLD.email) EXECUTE FUNCTION tenants_links_end('id');

-- An address changes by the link that was sent to the new one, and by nothing else; an erasure empties it. Whoever
-- erases has not the rights of who changes one, and so a trigger of its own.
CREATE FUNCTION tenants_user_address() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    -- By itself: who erases may not read the table that is asked below.
    IF NEW.email = OLD.email OR (NEW.email = '' AND CURRENT_USER IN ('glassbox_eraser', 'glassbox_remover')) THEN
        RETURN NEW;
    END IF;
    IF NOT EXISTS (
        SELECT FROM tenants_accountlink l
         WHERE l.user_id = NEW.id AND l.purpose = 'email' AND l.email = NEW.email AND l.used_at = now()
           AND l.token_sha256 = (SELECT authz.identity(9)))
    THEN
        RAISE EXCEPTION 'an address changes by the link that was sent to the new one' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_user_address BEFORE UPDATE OF email ON tenants_user FOR EACH ROW
    WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION tenants_user_address();

CREATE FUNCTION tenants_user_address_emptied() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'an erasure empties an address, and sets none' USING ERRCODE = 'check_violation';
END
$$;
CREATE TRIGGER tenants_user_address_emptied BEFORE UPDATE OF email ON tenants_user FOR EACH ROW
    WHEN (CURRENT_USER = 'glassbox_eraser' AND NEW.email <> OLD.email AND NEW.email <> '')
    EXECUTE FUNCTION tenants_user_address_emptied();
