-- Whoever rests on an account's state until the end of its transaction takes this lock, shared: a runtime role may not
-- lock the row of another person's account.
CREATE FUNCTION tenants_account_in_turn() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('state of an account'), hashtext(NEW.id::text));
    RETURN NEW;
END
$$;
CREATE TRIGGER tenants_account_in_turn BEFORE UPDATE ON tenants_user
    FOR EACH ROW WHEN (NEW.is_active IS DISTINCT FROM OLD.is_active) EXECUTE FUNCTION tenants_account_in_turn();
