-- Since when an account is active again, after it was not: what its person had given before does not come back with it
-- (apps/intents/sql/lapsed.sql). The database writes it, whoever changes the account.
CREATE FUNCTION tenants_account_opened_again() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        NEW.opened_again_at := NULL;
    ELSIF NEW.is_active AND NOT OLD.is_active THEN
        NEW.opened_again_at := clock_timestamp();
    ELSE
        NEW.opened_again_at := OLD.opened_again_at;
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after tenants_account_in_turn: whoever rests on the account's state is waited for first.
CREATE TRIGGER tenants_account_opened_again BEFORE INSERT OR UPDATE ON tenants_user
    FOR EACH ROW EXECUTE FUNCTION tenants_account_opened_again();

GRANT SELECT (opened_again_at) ON tenants_user TO glassbox_api, glassbox_worker;
