-- Recertifications: who may begin and end one, and who decides on a grant of it. Nobody certifies their own grant.

CREATE FUNCTION intents_recertification_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF authz.person() IS NULL OR NOT authz.may('policy.edit') THEN
            RAISE EXCEPTION 'a recertification is begun by a person who may edit policies'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.due_at <= clock_timestamp() OR cardinality(NEW.owner_ids) = 0 THEN
            RAISE EXCEPTION 'a recertification has owners, and a time to come' USING ERRCODE = 'check_violation';
        END IF;
        NEW.started_by_id := authz.person();
        NEW.reminded_at := NULL;
        NEW.closed_at := NULL;
        NEW.closed_by_id := NULL;
        RETURN NEW;
    END IF;
    IF OLD.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'a recertification that is closed does not change' USING ERRCODE = 'check_violation';
    END IF;
    IF to_jsonb(NEW) - '{reminded_at,closed_at,closed_by_id}'::text[]
        IS DISTINCT FROM to_jsonb(OLD) - '{reminded_at,closed_at,closed_by_id}'::text[] THEN
        RAISE EXCEPTION 'a recertification stays as it was begun' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.reminded_at IS DISTINCT FROM OLD.reminded_at AND NOT authz.may('policy.edit') THEN
        RAISE EXCEPTION 'owners are reminded by the platform, or by who may edit policies'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.closed_at IS DISTINCT FROM OLD.closed_at THEN
        IF authz.person() IS NULL OR NOT authz.may('policy.edit') THEN
            RAISE EXCEPTION 'a recertification is closed by a person who may edit policies'
                USING ERRCODE = 'check_violation';
        END IF;
        NEW.closed_by_id := authz.person();
    ELSIF NEW.closed_by_id IS DISTINCT FROM OLD.closed_by_id THEN
        RAISE EXCEPTION 'a recertification stays as it was begun' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_recertification_step BEFORE INSERT OR UPDATE ON intents_recertification
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION intents_recertification_step();

-- Raises unless the account may answer for a grant of the holder: another person than the holder, and a member now.
CREATE FUNCTION intents_require_owner(tenant uuid, owner uuid, holder uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF owner = holder THEN
        RAISE EXCEPTION 'nobody answers for their own grant' USING ERRCODE = 'check_violation';
    END IF;
    IF NOT EXISTS (SELECT FROM public.tenants_membership WHERE tenant_id = tenant AND user_id = owner
        AND confirmed_at IS NOT NULL AND revoked_at IS NULL) THEN
        RAISE EXCEPTION 'the owner of a grant is a member' USING ERRCODE = 'check_violation';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION intents_require_owner(uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION intents_require_owner(uuid, uuid, uuid) TO glassbox_api, glassbox_worker;

CREATE FUNCTION intents_certified_grant_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    campaign public.intents_recertification;
    is_valid boolean;
BEGIN
    -- Whoever closes it waits for a decision under way, and a decision for a closing under way.
    SELECT * INTO campaign FROM public.intents_recertification
     WHERE tenant_id = NEW.tenant_id AND id = NEW.recertification_id FOR SHARE;
    IF campaign.closed_at IS NOT NULL THEN
        RAISE EXCEPTION 'a recertification that is closed does not change' USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NOT authz.acts_as(campaign.started_by_id) OR NOT authz.may('policy.edit') THEN
            RAISE EXCEPTION 'whoever begins a recertification chooses its grants' USING ERRCODE = 'check_violation';
        END IF;
        SELECT coalesce(m.user_id, k.person_id), g.api_key_id, coalesce(m.role, k.role)
          INTO NEW.holder_id, NEW.api_key_id, NEW.role
          FROM public.tenants_grant g
          LEFT JOIN public.tenants_membership m ON m.tenant_id = g.tenant_id AND m.id = g.membership_id
          LEFT JOIN public.tenants_apikey k ON k.tenant_id = g.tenant_id AND k.id = g.api_key_id
         WHERE g.tenant_id = NEW.tenant_id AND g.id = NEW.grant_id AND g.scope_id = NEW.scope_id
           AND g.valid_to IS NULL;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'only a valid grant of this scope is recertified' USING ERRCODE = 'check_violation';
        END IF;
        PERFORM public.intents_require_owner(NEW.tenant_id, NEW.owner_id, NEW.holder_id);
        NEW.decision := '';
        NEW.reason := '';
        NEW.decided_at := NULL;
        NEW.decided_by_id := NULL;
        RETURN NEW;
    END IF;
    IF OLD.decision <> '' THEN
        RAISE EXCEPTION 'a decision on a grant does not change' USING ERRCODE = 'check_violation';
    END IF;
    IF to_jsonb(NEW) - '{owner_id,decision,reason,decided_at,decided_by_id}'::text[]
        IS DISTINCT FROM to_jsonb(OLD) - '{owner_id,decision,reason,decided_at,decided_by_id}'::text[] THEN
        RAISE EXCEPTION 'a grant in a recertification stays as it was chosen' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.decision = '' THEN
        IF (NEW.reason, NEW.decided_at, NEW.decided_by_id) IS DISTINCT FROM (OLD.reason, OLD.decided_at, OLD.decided_by_id)
            OR NOT authz.may('policy.edit') THEN
            RAISE EXCEPTION 'another owner is named by who may edit policies' USING ERRCODE = 'check_violation';
        END IF;
        PERFORM public.intents_require_owner(NEW.tenant_id, NEW.owner_id, NEW.holder_id);
        RETURN NEW;
    END IF;
    -- key.own: signed in, and not by a key.
    IF NEW.owner_id <> OLD.owner_id OR NOT authz.acts_as(OLD.owner_id) OR NOT authz.may('key.own') THEN
        RAISE EXCEPTION 'a grant is confirmed or ended by its owner, in person' USING ERRCODE = 'check_violation';
    END IF;
    IF tenants_same_hands(OLD.holder_id) THEN
        RAISE EXCEPTION 'nobody certifies their own grant' USING ERRCODE = 'check_violation';
    END IF;
    -- A key of the tenant is nobody's, and whoever made it has read its secret. To end it, nobody else is needed.
    IF NEW.decision = 'confirmed' AND EXISTS (
        SELECT FROM public.tenants_apikey k
         WHERE k.tenant_id = NEW.tenant_id AND k.id = OLD.api_key_id AND tenants_same_hands(k.created_by_id)) THEN
        RAISE EXCEPTION 'nobody certifies the grant of a key that they made' USING ERRCODE = 'check_violation';
    END IF;
    IF btrim(NEW.reason) = '' THEN
        RAISE EXCEPTION 'a decision on a grant has a reason' USING ERRCODE = 'check_violation';
    END IF;
    SELECT EXISTS (SELECT FROM public.tenants_grant g
        LEFT JOIN public.tenants_apikey k ON k.tenant_id = g.tenant_id AND k.id = g.api_key_id
        WHERE g.tenant_id = NEW.tenant_id AND g.id = NEW.grant_id AND g.valid_to IS NULL AND k.revoked_at IS NULL)
      INTO is_valid;
    IF is_valid <> (NEW.decision = 'confirmed') THEN
        RAISE EXCEPTION 'a grant that is confirmed is valid, and one that is ended is not'
            USING ERRCODE = 'check_violation';
    END IF;
    NEW.decided_by_id := authz.person();
    NEW.decided_at := clock_timestamp();
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_certified_grant_step BEFORE INSERT OR UPDATE ON intents_certifiedgrant
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_eraser') EXECUTE FUNCTION intents_certified_grant_step();
-- As for every decision on what is somebody else's: right after the second factor was used.
CREATE TRIGGER zz_second_person_decided_by_id BEFORE INSERT OR UPDATE ON intents_certifiedgrant
    FOR EACH ROW EXECUTE FUNCTION tenants_second_person('holder_id', 'decided_by_id');
