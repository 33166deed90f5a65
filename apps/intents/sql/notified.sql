-- A notice is written by whoever acted in its event: what nobody's name stands in, the platform did. A key that acts for
-- nobody is no person either, and tells nobody of what the platform did.
CREATE FUNCTION intents_notice_by_actor() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF authz.person() IS NULL AND NOT authz.may('glassbox.platform') THEN
        RAISE EXCEPTION 'a notice is of an event of its version, by whoever acted in it'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_notice_by_actor BEFORE INSERT ON intents_notice
    FOR EACH ROW EXECUTE FUNCTION intents_notice_by_actor();
