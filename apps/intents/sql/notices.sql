-- A notice is of an event in the log, by whoever acted in it, and for a member who is somebody else. What happened is
-- read from the event, so that no statement tells anybody of what did not happen, or of another version.
CREATE FUNCTION intents_notice_written() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    told public.audit_event;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF to_jsonb(NEW) - 'read_at' IS DISTINCT FROM to_jsonb(OLD) - 'read_at' THEN
            RAISE EXCEPTION 'a notice never changes but is read' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    SELECT * INTO told FROM public.audit_event WHERE tenant_id = NEW.tenant_id AND id = NEW.event_id;
    IF told.subject_id IS DISTINCT FROM NEW.version_id OR NOT starts_with(told.action, 'intents.policy.')
        OR told.actor_id IS DISTINCT FROM authz.person() THEN
        RAISE EXCEPTION 'a notice is of an event of its version, by whoever acted in it'
            USING ERRCODE = 'check_violation';
    END IF;
    IF authz.acts_as(NEW.receiver_id) OR NOT EXISTS (
        SELECT FROM public.tenants_membership
         WHERE tenant_id = NEW.tenant_id AND user_id = NEW.receiver_id
           AND confirmed_at IS NOT NULL AND revoked_at IS NULL) THEN
        RAISE EXCEPTION 'a notice is for another member' USING ERRCODE = 'check_violation';
    END IF;
    NEW.happening := CASE WHEN told.action = 'intents.policy.reminded' AND NEW.happening = 'escalated'
                          THEN NEW.happening ELSE split_part(told.action, '.', 3) END;
    NEW.read_at := NULL;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_notice_written BEFORE INSERT OR UPDATE ON intents_notice
    FOR EACH ROW EXECUTE FUNCTION intents_notice_written();
