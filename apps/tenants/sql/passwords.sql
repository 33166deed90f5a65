-- The hashes of passwords lie in a table of their own: colleagues' transactions could read them beside the account.

CREATE TABLE tenants_credential (
    user_id uuid PRIMARY KEY REFERENCES tenants_user (id) ON DELETE CASCADE,
    password varchar(128) NOT NULL CHECK (password <> '' AND password NOT LIKE '!%' AND password NOT LIKE 'kept:%')
);
-- What stands beside the account says that there is one ('kept:' and a stamp that changes with it), or that there is
-- none.
ALTER TABLE tenants_user
    ADD CONSTRAINT user_holds_no_hash CHECK (password = '' OR password LIKE '!%' OR password LIKE 'kept:%');

ALTER TABLE tenants_credential ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
REVOKE ALL ON tenants_credential FROM PUBLIC;
GRANT SELECT, INSERT, UPDATE, DELETE ON tenants_credential TO glassbox_authz;
CREATE POLICY exact_account ON tenants_credential AS PERMISSIVE FOR ALL TO glassbox_authz
    USING (user_id = (SELECT authz.identity(10))::uuid) WITH CHECK (user_id = (SELECT authz.identity(10))::uuid);
-- For the trigger below alone: nothing else of this role's deletes.
CREATE POLICY gone_with_its_account ON tenants_credential AS PERMISSIVE FOR SELECT TO glassbox_authz
    USING (user_id::text = current_setting('glassbox.emptied', true));
CREATE POLICY gone_with_its_account_delete ON tenants_credential AS PERMISSIVE FOR DELETE TO glassbox_authz
    USING (user_id::text = current_setting('glassbox.emptied', true));

-- The hash of the very account that the identity token names. No other function returns one.
CREATE FUNCTION tenants_password(account uuid) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF authz.identity(10) IS DISTINCT FROM account::text THEN
        RAISE EXCEPTION 'no scope is open: a password is compared for the account itself'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN (SELECT c.password FROM public.tenants_credential c WHERE c.user_id = account);
END
$$;

CREATE FUNCTION tenants_password_keep(account uuid, hashed text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF authz.identity(10) IS DISTINCT FROM account::text THEN
        RAISE EXCEPTION 'no scope is open: a password is set for the account itself'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO public.tenants_credential (user_id, password) VALUES (account, hashed)
        ON CONFLICT (user_id) DO UPDATE SET password = EXCLUDED.password;
END
$$;

-- An account whose password is made unusable, as an erasure does, keeps no hash.
CREATE FUNCTION tenants_password_gone() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('glassbox.emptied', NEW.id::text, true);
    DELETE FROM public.tenants_credential WHERE user_id = NEW.id;
    PERFORM set_config('glassbox.emptied', '', true);
    RETURN NULL;
END
$$;
CREATE TRIGGER tenants_password_gone AFTER UPDATE OF password ON tenants_user FOR EACH ROW
    WHEN (NEW.password = '' OR NEW.password LIKE '!%') EXECUTE FUNCTION tenants_password_gone();

REVOKE ALL ON FUNCTION tenants_password(uuid), tenants_password_keep(uuid, text), tenants_password_gone() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_password(uuid), tenants_password_keep(uuid, text) TO glassbox_api, glassbox_worker;
