-- The log is append-only. Rights alone would leave the owner able to rewrite the past; a trigger has no one to let
-- through but glassbox_remover, a role that nobody logs in as or is a member of, whose functions remove what a sealed
-- event names (erasing.sql).

CREATE FUNCTION audit_event_is_append_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE FUNCTION audit_event_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- The name beside the event goes with its actor group; nothing else of a row ever changes.
    IF TG_OP = 'UPDATE' AND current_user = 'glassbox_remover' THEN
        IF NEW.actor_label = '' AND to_jsonb(NEW) - 'actor_label' = to_jsonb(OLD) - 'actor_label' THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_event_append_only BEFORE UPDATE OR DELETE ON audit_event
    FOR EACH ROW EXECUTE FUNCTION audit_event_is_kept();
CREATE TRIGGER audit_event_no_truncate BEFORE TRUNCATE ON audit_event
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only();

CREATE FUNCTION audit_payload_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_user = 'glassbox_remover' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'audit events are append-only: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_payload_append_only BEFORE UPDATE OR DELETE ON audit_payload
    FOR EACH ROW EXECUTE FUNCTION audit_payload_is_kept();
CREATE TRIGGER audit_payload_no_truncate BEFORE TRUNCATE ON audit_payload
    FOR EACH STATEMENT EXECUTE FUNCTION audit_event_is_append_only();

-- Wrapping a key anew is the one change there is, and the worker's alone; whoever serves requests has no part in it.
CREATE FUNCTION audit_datakey_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.tenant_id, NEW.id, NEW.epoch, NEW.subject_id, NEW.created_at) IS NOT DISTINCT FROM
           (OLD.tenant_id, OLD.id, OLD.epoch, OLD.subject_id, OLD.created_at) THEN
            RETURN NEW;
        END IF;
    ELSIF TG_OP = 'DELETE' AND current_user = 'glassbox_remover' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'data keys of the log are kept: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_datakey_kept BEFORE UPDATE OR DELETE ON audit_datakey
    FOR EACH ROW EXECUTE FUNCTION audit_datakey_is_kept();
CREATE TRIGGER audit_datakey_no_truncate BEFORE TRUNCATE ON audit_datakey
    FOR EACH STATEMENT EXECUTE FUNCTION audit_datakey_is_kept();
GRANT UPDATE (kek_id, wrapped_key) ON audit_datakey TO glassbox_worker;
-- A key that does not unwrap, put where the next quarter's will be looked for, would keep everybody from recording
-- anything. A key of one request alone seals nothing else.
CREATE POLICY made_by_the_platform ON audit_datakey AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform'))
                OR subject_id IS NOT NULL AND (SELECT authz.may('privacy.manage')));

-- Events wait until they have a leaf; leaves, subtrees and checkpoints stay, and what others attest of them.

CREATE FUNCTION audit_log_is_append_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'the log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_leaf_append_only BEFORE UPDATE OR DELETE ON audit_leaf
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_leaf_no_truncate BEFORE TRUNCATE ON audit_leaf
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_subtree_append_only BEFORE UPDATE OR DELETE ON audit_subtree
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_subtree_no_truncate BEFORE TRUNCATE ON audit_subtree
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_checkpoint_append_only BEFORE UPDATE OR DELETE ON audit_checkpoint
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_checkpoint_no_truncate BEFORE TRUNCATE ON audit_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_attestation_append_only BEFORE UPDATE OR DELETE ON audit_attestation
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_attestation_no_truncate BEFORE TRUNCATE ON audit_attestation
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_unsealed_no_update BEFORE UPDATE ON audit_unsealed
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_unsealed_no_truncate BEFORE TRUNCATE ON audit_unsealed
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();

CREATE FUNCTION audit_leaf_has_no_gap() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT tenant_id, min(index) AS first, max(index) AS last, count(*) AS number
                       FROM added GROUP BY tenant_id) a
         WHERE a.last - a.first + 1 <> a.number
            OR a.first > 0 AND NOT EXISTS (
               SELECT FROM public.audit_leaf l WHERE l.tenant_id = a.tenant_id AND l.index = a.first - 1)
    ) THEN
        RAISE EXCEPTION 'the leaves of a log are numbered without a gap'
            USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_leaf_no_gap AFTER INSERT ON audit_leaf REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION audit_leaf_has_no_gap();

CREATE FUNCTION audit_unsealed_has_its_leaf() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM removed r WHERE NOT EXISTS (
               SELECT FROM public.audit_leaf l WHERE l.tenant_id = r.tenant_id AND l.event_id = r.event_id)
    ) THEN
        RAISE EXCEPTION 'an event waits until it has a leaf' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER audit_unsealed_sealed AFTER DELETE ON audit_unsealed REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION audit_unsealed_has_its_leaf();

-- Not sealed_at: thousands of leaves are made at once, and the right to write a column is cheaper than a trigger.
GRANT INSERT (tenant_id, event_id, index, hash) ON audit_leaf TO glassbox_worker;
GRANT INSERT ON audit_subtree, audit_checkpoint, audit_attestation TO glassbox_worker;
GRANT DELETE ON audit_unsealed TO glassbox_worker;
-- What the worker makes of events is the platform's, and never that of a person on whose behalf a job runs.
CREATE POLICY by_the_platform ON audit_leaf AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY by_the_platform ON audit_subtree AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY by_the_platform ON audit_checkpoint AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY by_the_platform ON audit_datakey AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING ((SELECT authz.may('glassbox.platform')));
CREATE POLICY by_the_platform ON audit_unsealed AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING ((SELECT authz.may('glassbox.platform')));
