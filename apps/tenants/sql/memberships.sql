-- How a person comes into a tenant and gets a role.
--
-- Who invited, who accepted, who confirmed and when are taken from the token and the clock, never from the writer. The
-- secret of an invitation's link is the platform's: its digest is set by its own token alone, so that who invites never
-- holds what only the mailbox was sent.

-- What a role may decide on. A role that is not here can't be given: apps/tenants/roles.py and this are compared by
-- `manage.py isolation check`.
CREATE FUNCTION tenants_role_approves(role text) RETURNS text[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
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
REVOKE ALL ON FUNCTION tenants_role_approves(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_role_approves(text)
    TO glassbox_api, glassbox_worker, glassbox_eraser, glassbox_remover;

CREATE FUNCTION tenants_invitation_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
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

    IF (NEW.id, NEW.tenant_id, NEW.user_id, NEW.role, NEW.created_at, NEW.created_by_id, NEW.invitation_id,
        NEW.accepted_at)
        IS DISTINCT FROM
       (OLD.id, OLD.tenant_id, OLD.user_id, OLD.role, OLD.created_at, OLD.created_by_id, OLD.invitation_id,
        OLD.accepted_at)
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

-- Nobody confirms a membership who stands above it in the chain of invitations.
--
-- An administrator needs nobody to invite another administrator, who may be a second mailbox of theirs. So whoever
-- invited the person, invited who invited them, and so on up, is not the second person. Who holds a role that approves
-- was confirmed by somebody outside of such a chain, or by the platform's operator, and so is another person than all
-- in it. Where a firm has nobody outside of the chain yet, the operator confirms (`manage.py tenant member`).
CREATE FUNCTION tenants_invited_by_hands(tenant uuid, account uuid, inviter uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    chain uuid[] := array_remove(ARRAY[account, inviter], NULL);
    more uuid[];
BEGIN
    LOOP
        SELECT array_agg(DISTINCT m.created_by_id) INTO more FROM tenants_membership m
         WHERE m.tenant_id = tenant AND m.user_id = ANY (chain) AND m.created_by_id <> ALL (chain);
        EXIT WHEN more IS NULL;
        chain := chain || more;
    END LOOP;
    RETURN EXISTS (SELECT FROM unnest(chain) AS each (person) WHERE tenants_same_hands(each.person));
END
$$;
REVOKE ALL ON FUNCTION tenants_invited_by_hands(uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_invited_by_hands(uuid, uuid, uuid) TO glassbox_api, glassbox_worker;

CREATE FUNCTION tenants_membership_chain() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT authz.may('glassbox.platform')
        AND tenants_invited_by_hands(OLD.tenant_id, OLD.user_id, OLD.created_by_id) THEN
        RAISE EXCEPTION 'a role that approves is confirmed by somebody outside of the chain of invitations'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after tenants_membership_step, which says first what is wrong with a step.
CREATE TRIGGER tenants_membership_step_chain BEFORE UPDATE OF confirmed_at, confirmed_by_id ON tenants_membership
    FOR EACH ROW WHEN (OLD.confirmed_at IS NULL AND NEW.confirmed_at IS NOT NULL)
    EXECUTE FUNCTION tenants_membership_chain();
