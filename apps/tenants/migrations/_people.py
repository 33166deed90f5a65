"""How a person comes into a tenant and gets a role, held by the database. Part of migration 0010_people.

Who invited, who accepted, who confirmed and when are taken from the token and the clock, never from the writer. The
secret of an invitation's link is the platform's: its digest is set by its own token alone, so that who invites never
holds what only the mailbox was sent.
"""

FORWARD = """
-- What a role may decide on. A role that is not here can't be given: apps/tenants/roles.py and this are compared by
-- `manage.py isolation check`.
CREATE FUNCTION tenants_role_approves(role text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    RETURN CASE role
        WHEN 'reviewer' THEN ARRAY['policy.approve', 'privacy.approve']
        WHEN 'dpo' THEN ARRAY['privacy.approve']
        WHEN 'compliance_officer' THEN ARRAY[]::text[]
        WHEN 'analyst' THEN ARRAY[]::text[]
        WHEN 'auditor' THEN ARRAY[]::text[]
        WHEN 'tenant_admin' THEN ARRAY[]::text[]
    END;
END
$$;

-- Whether the acting person's account is in the same hands as another one. An account whose mailbox was never confirmed
-- is in the hands of whoever made it.
CREATE FUNCTION tenants_same_hands(other uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
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
REVOKE ALL ON FUNCTION tenants_role_approves(text), tenants_same_hands(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_role_approves(text), tenants_same_hands(uuid)
    TO glassbox_api, glassbox_worker, glassbox_eraser;

CREATE FUNCTION tenants_invitation_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    is_platform boolean := authz.may('glassbox.platform');
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF tenants_role_approves(NEW.role) IS NULL OR NEW.email = '' OR cardinality(NEW.scope_ids) = 0 THEN
            RAISE EXCEPTION 'an invitation names a mailbox, a role and scopes' USING ERRCODE = 'check_violation';
        END IF;
        NEW.created_by_id := authz.person();
        IF NEW.created_by_id IS NULL AND NOT is_platform THEN
            RAISE EXCEPTION 'an invitation is made by a person' USING ERRCODE = 'check_violation';
        END IF;
        NEW.created_at := clock_timestamp();
        NEW.token_sha256 := NULL;
        NEW.sent_at := NULL;
        NEW.expires_at := NULL;
        NEW.accepted_at := NULL;
        NEW.revoked_at := NULL;
        RETURN NEW;
    END IF;
    IF (NEW.id, NEW.tenant_id, NEW.role, NEW.scope_ids, NEW.created_by_id, NEW.created_at)
        IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.role, OLD.scope_ids, OLD.created_by_id, OLD.created_at) THEN
        RAISE EXCEPTION 'an invitation stays as it was made' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.email <> OLD.email AND (NEW.email <> '' OR (NEW.accepted_at IS NULL AND NEW.revoked_at IS NULL
        AND coalesce(OLD.expires_at, OLD.created_at + interval '7 days') > clock_timestamp())) THEN
        RAISE EXCEPTION 'an invitation keeps its mailbox until it has ended' USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.accepted_at IS NOT NULL OR OLD.revoked_at IS NOT NULL)
        AND (NEW.token_sha256, NEW.sent_at, NEW.expires_at, NEW.accepted_at, NEW.revoked_at)
        IS DISTINCT FROM (OLD.token_sha256, OLD.sent_at, OLD.expires_at, OLD.accepted_at, OLD.revoked_at) THEN
        RAISE EXCEPTION 'an invitation that has ended does not change' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.token_sha256 IS DISTINCT FROM OLD.token_sha256 THEN
        IF NOT is_platform OR NEW.token_sha256 IS NULL THEN
            RAISE EXCEPTION 'the platform alone makes the link of an invitation' USING ERRCODE = 'check_violation';
        END IF;
        NEW.expires_at := clock_timestamp() + interval '7 days';
        NEW.sent_at := NULL;
    ELSIF NEW.expires_at IS DISTINCT FROM OLD.expires_at
        OR (NEW.sent_at IS DISTINCT FROM OLD.sent_at AND NOT is_platform) THEN
        RAISE EXCEPTION 'the platform alone says when an invitation was sent' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.accepted_at IS DISTINCT FROM OLD.accepted_at THEN
        IF OLD.token_sha256 IS DISTINCT FROM authz.identity(9) OR coalesce(OLD.expires_at <= clock_timestamp(), true)
            OR authz.person() IS NULL THEN
            RAISE EXCEPTION 'an invitation is accepted in person, with its link, before it expires'
                USING ERRCODE = 'check_violation';
        END IF;
        NEW.accepted_at := now();
        NEW.email := '';
    END IF;
    IF NEW.revoked_at IS DISTINCT FROM OLD.revoked_at THEN
        IF NOT authz.may('member.manage') THEN
            RAISE EXCEPTION 'an invitation is withdrawn by who manages members' USING ERRCODE = 'check_violation';
        END IF;
        NEW.revoked_at := clock_timestamp();
        NEW.email := '';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_invitation_step BEFORE INSERT OR UPDATE ON tenants_invitation
    FOR EACH ROW EXECUTE FUNCTION tenants_invitation_step();

CREATE FUNCTION tenants_membership_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
    is_platform boolean := authz.may('glassbox.platform');
    needed text[] := tenants_role_approves(NEW.role);
    invited tenants_invitation;
BEGIN
    IF needed IS NULL THEN
        RAISE EXCEPTION 'there is no role %', NEW.role USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        NEW.created_by_id := NULL;
        NEW.confirmed_by_id := NULL;
        NEW.revoked_at := NULL;
        IF is_platform THEN
            -- The platform's operator: the first people of a tenant.
            NEW.invitation_id := NULL;
            NEW.accepted_at := NEW.created_at;
            NEW.confirmed_at := NEW.created_at;
            RETURN NEW;
        END IF;
        IF NOT authz.acts_as(NEW.user_id) THEN
            RAISE EXCEPTION 'a membership begins when its person accepts an invitation'
                USING ERRCODE = 'check_violation';
        END IF;
        -- Used up in the statement that looks at it: of two at once, one finds nothing.
        UPDATE tenants_invitation SET accepted_at = now()
         WHERE tenant_id = NEW.tenant_id AND id = NEW.invitation_id AND token_sha256 = (SELECT authz.identity(9))
           AND role = NEW.role AND accepted_at IS NULL AND revoked_at IS NULL
        RETURNING * INTO invited;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'a membership begins with an invitation of its role, which is used up by it'
                USING ERRCODE = 'check_violation';
        END IF;
        IF cardinality(needed) > 0 AND invited.created_by_id = NEW.user_id THEN
            RAISE EXCEPTION 'nobody gives themselves a role that approves' USING ERRCODE = 'check_violation';
        END IF;
        NEW.created_by_id := invited.created_by_id;
        NEW.created_at := now();
        NEW.accepted_at := now();
        -- An invitation by the platform's operator needs nobody else.
        NEW.confirmed_at := CASE WHEN cardinality(needed) = 0 OR invited.created_by_id IS NULL THEN now() END;
        RETURN NEW;
    END IF;

    IF (NEW.id, NEW.tenant_id, NEW.user_id, NEW.role, NEW.created_at, NEW.created_by_id, NEW.invitation_id, NEW.accepted_at)
        IS DISTINCT FROM
       (OLD.id, OLD.tenant_id, OLD.user_id, OLD.role, OLD.created_at, OLD.created_by_id, OLD.invitation_id, OLD.accepted_at)
    THEN
        RAISE EXCEPTION 'a membership stays as it was accepted' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.confirmed_at, NEW.confirmed_by_id) IS DISTINCT FROM (OLD.confirmed_at, OLD.confirmed_by_id) THEN
        IF OLD.confirmed_at IS NOT NULL OR OLD.revoked_at IS NOT NULL THEN
            RAISE EXCEPTION 'a membership is confirmed once, while it lasts' USING ERRCODE = 'check_violation';
        END IF;
        IF is_platform THEN
            NEW.confirmed_by_id := NULL;
        ELSE
            NEW.confirmed_by_id := authz.person();
            -- key.own: signed in, and not by a key.
            IF NEW.confirmed_by_id IS NULL OR NOT authz.may('key.own')
                OR EXISTS (SELECT FROM unnest(needed) AS each WHERE NOT authz.may(each)) THEN
                RAISE EXCEPTION 'a role that approves is confirmed by a person who holds what it approves'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF tenants_same_hands(OLD.user_id) OR tenants_same_hands(OLD.created_by_id) THEN
                RAISE EXCEPTION 'a role that approves is confirmed by another person than who invited and who gets it'
                    USING ERRCODE = 'check_violation';
            END IF;
        END IF;
        NEW.confirmed_at := now();
    END IF;
    -- Who may confirm may also decline, which ends it before it began.
    IF NEW.revoked_at IS DISTINCT FROM OLD.revoked_at AND (OLD.revoked_at IS NOT NULL OR NOT (
        authz.may('member.manage')
        OR OLD.confirmed_at IS NULL AND NOT EXISTS (SELECT FROM unnest(needed) AS each WHERE NOT authz.may(each))
    )) THEN
        RAISE EXCEPTION 'a membership is ended once, by who manages members' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_membership_step BEFORE INSERT OR UPDATE ON tenants_membership
    FOR EACH ROW EXECUTE FUNCTION tenants_membership_step();

-- Whose hands an account comes from: the person who is signed in, or who sent the invitation with whose link it is made.
CREATE FUNCTION tenants_account_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    INSERT INTO tenants_accountorigin (user_id) VALUES (NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER tenants_account_begins AFTER INSERT ON tenants_user
    FOR EACH ROW EXECUTE FUNCTION tenants_account_begins();

CREATE FUNCTION tenants_accountorigin_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.invited_by_id := authz.person();
        NEW.mailbox_confirmed_at := NULL;
        SELECT i.created_by_id,
               CASE WHEN EXISTS (SELECT FROM tenants_user u WHERE u.id = NEW.user_id AND lower(u.email) = lower(i.email))
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
           AND u.email = l.email)
    THEN
        RAISE EXCEPTION 'a mailbox is confirmed by the link that was sent to it' USING ERRCODE = 'check_violation';
    END IF;
    NEW.mailbox_confirmed_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountorigin_step BEFORE INSERT OR UPDATE ON tenants_accountorigin
    FOR EACH ROW EXECUTE FUNCTION tenants_accountorigin_step();

CREATE FUNCTION tenants_accountlink_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
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
    NEW.used_at := now();
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_accountlink_step BEFORE INSERT OR UPDATE ON tenants_accountlink
    FOR EACH ROW EXECUTE FUNCTION tenants_accountlink_step();

-- An address changes by the link that was sent to the new one, and by nothing else; an erasure empties it.
CREATE FUNCTION tenants_user_address() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
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
CREATE TRIGGER tenants_user_address BEFORE UPDATE OF email ON tenants_user
    FOR EACH ROW EXECUTE FUNCTION tenants_user_address();

-- What there was before any of this was asked for stays in force, as given by the platform.
ALTER TABLE tenants_membership NO FORCE ROW LEVEL SECURITY;
ALTER TABLE tenants_membership DISABLE TRIGGER tenants_membership_step;
UPDATE tenants_membership SET accepted_at = created_at, confirmed_at = created_at;
ALTER TABLE tenants_membership ENABLE TRIGGER tenants_membership_step;
ALTER TABLE tenants_membership FORCE ROW LEVEL SECURITY;
"""

BACKWARD = """
DROP TRIGGER tenants_user_address ON tenants_user;
DROP TRIGGER tenants_account_begins ON tenants_user;
DROP TRIGGER tenants_membership_step ON tenants_membership;
DROP TRIGGER tenants_accountlink_step ON tenants_accountlink;
DROP TRIGGER tenants_accountorigin_step ON tenants_accountorigin;
DROP TRIGGER tenants_invitation_step ON tenants_invitation;
DROP FUNCTION tenants_user_address();
DROP FUNCTION tenants_account_begins();
DROP FUNCTION tenants_accountorigin_step();
DROP FUNCTION tenants_accountlink_step();
DROP FUNCTION tenants_membership_step();
DROP FUNCTION tenants_invitation_step();
DROP FUNCTION tenants_same_hands(uuid);
DROP FUNCTION tenants_role_approves(text);
"""
