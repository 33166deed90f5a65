-- A job is done in the name of whoever asked for it: the worker takes the rights of the very key or person whom its row
-- names.

-- Asked is the very claim by which the log names who acts; `key:`, where a key acts for a person.
CREATE FUNCTION corpus_job_actor() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.actor_kind, NEW.actor_id, NEW.actor_key_id, NEW.actor_label)
           IS NOT DISTINCT FROM (OLD.actor_kind, OLD.actor_id, OLD.actor_key_id, OLD.actor_label) THEN
            RETURN NEW;
        END IF;
    END IF;
    IF NOT authz.may('glassbox.platform')
       AND (NOT authz.may(concat('actor:', NEW.actor_kind, ':', NEW.actor_id, ':',
                encode(convert_to(NEW.actor_label, 'UTF8'), 'hex')))
            OR NEW.actor_kind = 'user' AND NOT authz.may(coalesce('key:' || NEW.actor_key_id, 'key.own'))
            OR NEW.actor_kind <> 'user' AND NEW.actor_key_id IS NOT NULL) THEN
        RAISE EXCEPTION 'a job is asked for in one''s own name' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_job_actor BEFORE INSERT OR UPDATE OF actor_kind, actor_id, actor_key_id, actor_label
    ON corpus_ingestjob FOR EACH ROW EXECUTE FUNCTION corpus_job_actor();
