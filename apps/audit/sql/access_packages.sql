-- What the database itself holds of requests for access.
--
-- A request for access goes the way of one for erasure until its places are decided on; then a package is made of them,
-- and it is answered. What a package is made of does not change while the package is there. It is its makers' alone:
-- people who manage privacy, with all scopes that it quotes from.

CREATE FUNCTION audit_access_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    step text := OLD.state || ' to ' || NEW.state;
BEGIN
    IF NEW.purpose IS DISTINCT FROM OLD.purpose THEN
        RAISE EXCEPTION 'a request keeps its purpose' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.purpose = 'access' AND step IN ('assessing to inventory_ready', 'inventory_ready to completed')
        AND NOT EXISTS (
        SELECT FROM public.audit_accesspackage p
         WHERE p.tenant_id = NEW.tenant_id AND p.request_id = NEW.id AND p.expires_at > clock_timestamp()) THEN
        RAISE EXCEPTION 'a request for access is answered with a package' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_access_step BEFORE UPDATE ON audit_erasurerequest
    FOR EACH ROW EXECUTE FUNCTION audit_access_step();

-- Whoever makes a package keeps the request where it is. By its name it comes before audit_accesspackage_step, which
-- asks whether the request is assessed.
CREATE FUNCTION audit_accesspackage_at_once() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM public.audit_erasurerequest r
      WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id FOR SHARE;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_accesspackage_at_once BEFORE INSERT ON audit_accesspackage
    FOR EACH ROW EXECUTE FUNCTION audit_accesspackage_at_once();

CREATE FUNCTION audit_accesspackage_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        IF TG_OP = 'DELETE' AND current_user = 'glassbox_remover' THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'a package stays as it was made until it goes as a whole: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT authz.may('privacy.manage') OR authz.may('glassbox.platform') OR NOT authz.acts_as(NEW.made_by_id)
        OR NEW.expires_at > clock_timestamp() + interval '91 days' OR NOT EXISTS (
        SELECT FROM public.audit_erasurerequest r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id AND r.purpose = 'access'
           AND r.state = 'assessing') THEN
        RAISE EXCEPTION 'a package is made in one''s own name, for a request for access that is assessed'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_accesspackage_step BEFORE INSERT OR UPDATE OR DELETE ON audit_accesspackage
    FOR EACH ROW EXECUTE FUNCTION audit_accesspackage_step();
CREATE TRIGGER audit_accesspackage_no_truncate BEFORE TRUNCATE ON audit_accesspackage
    FOR EACH STATEMENT EXECUTE FUNCTION audit_accesspackage_step();
-- What is random can't be compressed; trying would cost time on every write.
ALTER TABLE audit_accesspackage ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

-- Packages with their keys, the keys first: those that have expired, that were taken back, or that quote what a run of
-- removals takes which is being carried out. Returns how many keys and rows went, at most so many.
CREATE FUNCTION audit_remove_packages(packages uuid[], at_most integer) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    going uuid[];
    removed bigint;
    rows_removed bigint;
BEGIN
    IF NOT authz.may('privacy.manage') THEN
        RAISE EXCEPTION 'a package is removed by who manages privacy' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT coalesce(array_agg(p.id), '{}') INTO going
      FROM public.audit_accesspackage p
      JOIN public.audit_erasurerequest r ON r.tenant_id = p.tenant_id AND r.id = p.request_id
     WHERE p.tenant_id = tenant AND p.id = ANY (packages) AND (
           p.expires_at <= clock_timestamp()
        OR r.state NOT IN ('inventory_ready', 'completed')
        -- What was known of the person is destroyed: so is what was made of it.
        OR NOT EXISTS (SELECT FROM public.audit_datakey d WHERE d.tenant_id = tenant AND d.id = r.data_key_id)
        OR tenant IN (SELECT public.audit_removal_targets('tenant'))
        OR p.scope_ids && ARRAY(SELECT public.audit_removal_targets('scope'))
        OR EXISTS (
           SELECT FROM public.audit_inventoryhit h
            WHERE h.tenant_id = tenant AND h.request_id = p.request_id AND h.decision = 'confirmed'
              AND (h.target_type = 'document' AND h.target_id IN (SELECT public.audit_removal_targets('document'))
                OR h.target_type = 'user' AND h.target_id IN (SELECT public.audit_removal_targets('user'))
                OR h.target_type = 'event_group'
                   AND h.target_id IN (SELECT public.audit_removal_targets('event_group')))));
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id = ANY (ARRAY(
           SELECT d.id FROM public.audit_datakey d
             JOIN public.audit_accesspackage p ON p.tenant_id = d.tenant_id AND p.data_key_id = d.id
            WHERE d.tenant_id = tenant AND d.subject_id = p.id AND p.id = ANY (going) LIMIT at_most));
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM public.audit_accesspackage p
     WHERE p.tenant_id = tenant AND p.id = ANY (ARRAY(
           SELECT c.id FROM public.audit_accesspackage c
            WHERE c.tenant_id = tenant AND c.id = ANY (going)
              AND NOT EXISTS (SELECT FROM public.audit_datakey d WHERE d.tenant_id = tenant AND d.id = c.data_key_id)
            LIMIT at_most - removed));
    GET DIAGNOSTICS rows_removed = ROW_COUNT;
    RETURN removed + rows_removed;
END
$$;

-- The key of a request for access that has ended: what it sealed of the person can't be read by anybody then.
CREATE FUNCTION audit_forget_access(request uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    its_key uuid;
    removed bigint;
BEGIN
    IF NOT authz.may('privacy.manage') THEN
        RAISE EXCEPTION 'a request is forgotten by who manages privacy' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT r.data_key_id INTO its_key FROM public.audit_erasurerequest r
     WHERE r.tenant_id = tenant AND r.id = audit_forget_access.request AND r.purpose = 'access'
       AND r.state IN ('completed', 'refused', 'withdrawn')
       AND NOT EXISTS (SELECT FROM public.audit_letter l
                        WHERE l.tenant_id = tenant AND l.request_id = r.id AND l.state <> 'sent');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the request has not ended, or a letter of it is not sent' USING ERRCODE = 'check_violation';
    END IF;
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id = its_key AND k.subject_id = audit_forget_access.request;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed > 0;
END
$$;
REVOKE ALL ON FUNCTION audit_remove_packages(uuid[], integer), audit_forget_access(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_remove_packages(uuid[], integer), audit_forget_access(uuid)
    TO glassbox_api, glassbox_worker, glassbox_eraser;
GRANT SELECT (tenant_id, id, request_id, data_key_id, scope_ids, expires_at), DELETE ON audit_accesspackage
    TO glassbox_remover;
CREATE POLICY removal ON audit_accesspackage AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));
CREATE POLICY removal_floor ON audit_accesspackage AS RESTRICTIVE FOR ALL TO PUBLIC
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));
-- What the store of packages counts and names, no word of a person; and until when one is good, which the trigger of a
-- request's steps asks whoever takes the step.
GRANT SELECT (id, tenant_id, request_id, scope_ids, data_key_id, expires_at) ON audit_accesspackage TO glassbox_eraser;
