-- What a restore brought back, and what is signed of that.
--
-- The owner of the tables, whom nobody of the application is, says what came back, before it is removed again; the
-- worker that it is removed; the eraser how the look at the disk ended. What was prepared and found is the server's
-- administrator's to write, as of a removal run.

CREATE FUNCTION audit_restoration_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    step text;
    is_superuser boolean := (SELECT rolsuper FROM pg_roles WHERE rolname = current_user);
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        RAISE EXCEPTION 'restorations are kept: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF TG_OP = 'INSERT' THEN
        IF NOT is_superuser AND current_user <> 'glassbox_owner' THEN
            RAISE EXCEPTION 'what a restore brought back is said by the owner of the tables'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NOT is_superuser AND (NEW.prepared_at IS NOT NULL OR NEW.verification <> '{}'::jsonb) THEN
            RAISE EXCEPTION 'what was prepared is written by whoever looked: the server''s administrator'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF NEW.state <> 'removing' OR NEW.end_events <> '{}'::uuid[] OR NEW.removed_at IS NOT NULL
            OR NEW.ended_at IS NOT NULL THEN
            RAISE EXCEPTION 'a restoration begins before anything is removed again' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF (to_jsonb(NEW) - '{state,error_code,prepared_at,removed_at,ended_at,verification,end_events}'::text[])
        IS DISTINCT FROM
        (to_jsonb(OLD) - '{state,error_code,prepared_at,removed_at,ended_at,verification,end_events}'::text[])
        OR NEW.prepared_at IS DISTINCT FROM OLD.prepared_at THEN
        RAISE EXCEPTION 'a restoration keeps what it is and what came back' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.verification IS DISTINCT FROM OLD.verification AND NOT is_superuser THEN
        RAISE EXCEPTION 'what was found is written by whoever looked: the server''s administrator'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    step := OLD.state || ' to ' || NEW.state;
    IF NEW.state = OLD.state THEN
        IF (NEW.end_events, NEW.removed_at, NEW.ended_at, NEW.error_code)
            IS DISTINCT FROM (OLD.end_events, OLD.removed_at, OLD.ended_at, OLD.error_code) THEN
            RAISE EXCEPTION 'what is stated of a restoration is stated with a step' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF step = 'failed to awaiting' THEN
        IF NOT is_superuser OR NEW.end_events IS DISTINCT FROM OLD.end_events THEN
            RAISE EXCEPTION 'what failed is looked at again by the server''s administrator'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END IF;
    IF step NOT IN ('removing to untouched', 'removing to awaiting', 'removing to unproven', 'awaiting to proved',
                    'awaiting to failed', 'awaiting to unproven', 'failed to unproven') THEN
        RAISE EXCEPTION 'a restoration can''t go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    IF current_user <> (CASE WHEN OLD.state = 'removing' THEN 'glassbox_worker' ELSE 'glassbox_eraser' END) THEN
        RAISE EXCEPTION 'the worker ends the removal, and the eraser the proof'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NEW.end_events[:cardinality(OLD.end_events)] IS DISTINCT FROM OLD.end_events
        OR cardinality(NEW.end_events) <> cardinality(OLD.end_events) + 1 THEN
        RAISE EXCEPTION 'each step of a restoration is one event of the log' USING ERRCODE = 'check_violation';
    END IF;
    IF step = 'removing to untouched' AND NEW.came_back <> '{}'::jsonb THEN
        RAISE EXCEPTION 'something came back' USING ERRCODE = 'check_violation';
    END IF;
    IF step = 'awaiting to proved' AND (NEW.prepared_at IS NULL
        OR (NEW.verification #>> '{control,proves}') IS DISTINCT FROM 'true'
        OR (NEW.verification #>> '{physical,complete}') IS DISTINCT FROM 'true'
        OR (NEW.verification #>> '{scan,clean}') IS DISTINCT FROM 'true') THEN
        RAISE EXCEPTION 'a restoration is proved by a control, the physical phase and a clean scan'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_restoration_step BEFORE INSERT OR UPDATE OR DELETE ON audit_restoration
    FOR EACH ROW EXECUTE FUNCTION audit_restoration_step();
CREATE TRIGGER audit_restoration_no_truncate BEFORE TRUNCATE ON audit_restoration
    FOR EACH STATEMENT EXECUTE FUNCTION audit_restoration_step();
GRANT UPDATE (state, error_code, removed_at, end_events) ON audit_restoration TO glassbox_worker;
GRANT SELECT, UPDATE (state, error_code, ended_at, end_events) ON audit_restoration TO glassbox_eraser;

CREATE FUNCTION audit_supplement_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'supplements are kept as they were issued: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_user <> 'glassbox_worker' THEN
        RAISE EXCEPTION 'supplements are issued by the role that signs' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT EXISTS (
        SELECT FROM public.audit_restoration r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.restoration_id AND NEW.event_id = ANY (r.end_events)
    ) OR NOT EXISTS (
        SELECT FROM public.audit_leaf l JOIN public.audit_checkpoint c ON c.tenant_id = l.tenant_id
         WHERE l.tenant_id = NEW.tenant_id AND l.event_id = NEW.event_id AND l.index = NEW.leaf_index
           AND c.size = NEW.size AND c.root = NEW.root AND l.index < c.size
    ) THEN
        RAISE EXCEPTION 'a supplement is of a statement that a checkpoint of the log holds'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_supplement_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_supplement
    FOR EACH ROW EXECUTE FUNCTION audit_supplement_is_kept();
CREATE TRIGGER audit_supplement_no_truncate BEFORE TRUNCATE ON audit_supplement
    FOR EACH STATEMENT EXECUTE FUNCTION audit_supplement_is_kept();
GRANT INSERT ON audit_supplement TO glassbox_worker;
