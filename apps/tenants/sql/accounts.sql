-- Whose hands an account comes from: the person who is signed in, or who sent the invitation with whose link it is
-- made.
--
-- It is written as the account is made, by the database, and met by no other insertion.

-- Whether the acting person's account is in the same hands as another one. An account whose mailbox was never confirmed
-- is in the hands of whoever made it.
CREATE FUNCTION tenants_same_hands(other uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    hands uuid[] := ARRAY[authz.person(), other];
    maker uuid;
BEGIN
    IF hands[1] IS NULL OR other IS NULL THEN
        RETURN false;
    END IF;
    FOR i IN 1..2 LOOP
        -- As long a chain of unconfirmed accounts as anybody would make; a longer one is nobody's, and decides nothing.
        FOR step IN 1..33 LOOP
            SELECT o.invited_by_id INTO maker FROM public.tenants_accountorigin o
             WHERE o.user_id = hands[i] AND o.mailbox_confirmed_at IS NULL AND o.invited_by_id IS NOT NULL;
            EXIT WHEN NOT FOUND;
            IF step = 33 THEN
                RETURN true;
            END IF;
            hands[i] := maker;
        END LOOP;
    END LOOP;
    RETURN hands[1] = hands[2];
END
$$;
REVOKE ALL ON FUNCTION tenants_same_hands(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_same_hands(uuid) TO glassbox_api, glassbox_worker, glassbox_eraser;
GRANT SELECT ON tenants_accountorigin TO glassbox_remover;
-- It answers for readers who may not see whose hands.
REVOKE SELECT ON tenants_accountorigin FROM glassbox_api, glassbox_worker;
GRANT SELECT (user_id, mailbox_confirmed_at) ON tenants_accountorigin TO glassbox_api, glassbox_worker;

CREATE FUNCTION tenants_account_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    INSERT INTO tenants_accountorigin (user_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tenants_account_begins AFTER INSERT ON tenants_user
    FOR EACH ROW EXECUTE FUNCTION tenants_account_begins();

-- INSERT ... ON CONFLICT would ask a condition of another account's hidden row.
CREATE FUNCTION tenants_accountorigin_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the database writes what an account came from' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER tenants_accountorigin_begins BEFORE INSERT ON tenants_accountorigin FOR EACH ROW
    WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION tenants_accountorigin_begins();

-- Who puts their scope's token away for one statement is nobody to the database: an account was then made by nobody,
-- and in nobody's hands. So one that no person's token, no invitation to its mailbox and no token of the platform's
-- vouches for is not made.
CREATE FUNCTION tenants_accountorigin_known() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    mailbox text;
BEGIN
    SELECT i.email INTO mailbox FROM tenants_invitation i
     WHERE i.token_sha256 = (SELECT authz.identity(9)) AND i.accepted_at IS NULL AND i.revoked_at IS NULL
       AND i.expires_at > clock_timestamp();
    IF FOUND AND NOT tenants_has_mailbox(NEW.user_id, mailbox)
        OR NOT FOUND AND authz.person() IS NULL AND NOT authz.may('glassbox.platform')
           AND authz.identity(12) IS DISTINCT FROM 'platform' THEN
        RAISE EXCEPTION 'an account is made by a person, by the platform, or for the mailbox that was invited'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountorigin_known BEFORE INSERT ON tenants_accountorigin
    FOR EACH ROW EXECUTE FUNCTION tenants_accountorigin_known();

CREATE FUNCTION tenants_accountorigin_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.invited_by_id := authz.person();
        NEW.mailbox_confirmed_at := NULL;
        SELECT i.created_by_id,
               CASE WHEN EXISTS (SELECT FROM tenants_user u WHERE u.id = NEW.user_id
                                    AND lower(tenants_of_account(u.id, u.username, 'email')) = lower(i.email))
                    THEN now() END
          INTO NEW.invited_by_id, NEW.mailbox_confirmed_at
          FROM tenants_invitation i
         WHERE i.token_sha256 = (SELECT authz.identity(9)) AND i.accepted_at IS NULL AND i.revoked_at IS NULL
           AND i.expires_at > clock_timestamp();
        IF NOT FOUND THEN
            NEW.invited_by_id := authz.person();
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.user_id <> OLD.user_id OR NEW.invited_by_id IS DISTINCT FROM OLD.invited_by_id OR NOT EXISTS (
        SELECT FROM tenants_accountlink l JOIN tenants_user u ON u.id = l.user_id
         WHERE l.user_id = OLD.user_id AND l.token_sha256 = (SELECT authz.identity(9)) AND l.used_at = now()
           AND tenants_of_account(u.id, u.username, 'email') = l.email)
    THEN
        RAISE EXCEPTION 'a mailbox is confirmed by the link that was sent to it' USING ERRCODE = 'check_violation';
    END IF;
    NEW.mailbox_confirmed_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountorigin_step BEFORE INSERT OR UPDATE ON tenants_accountorigin
    FOR EACH ROW EXECUTE FUNCTION tenants_accountorigin_step();
