-- Of a colleague the directory shows a name and whether the account is active: no address, no sign-ins, no standing.
--
-- Columns are granted one by one, and one function reads the others, to whom the token says that it may (authz.knows).
-- The auditor's role, which signs nobody in, reads no digest that somebody is known by.

CREATE FUNCTION tenants_of_account(account uuid, username text, named text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT authz.knows(account, username) THEN
        RETURN NULL;
    END IF;
    -- With its name: whoever asks might give another one, by which the token would know any account.
    RETURN (SELECT CASE named
                WHEN 'password' THEN u.password::text
                WHEN 'last_login' THEN u.last_login::text
                WHEN 'is_superuser' THEN u.is_superuser::text
                WHEN 'email' THEN u.email::text
                WHEN 'is_staff' THEN u.is_staff::text
                WHEN 'date_joined' THEN u.date_joined::text
            END
              FROM public.tenants_user u WHERE u.id = account AND u.username = tenants_of_account.username);
END
$$;
REVOKE ALL ON FUNCTION tenants_of_account(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_of_account(uuid, text, text) TO glassbox_api, glassbox_worker, glassbox_eraser;
GRANT SELECT (id, username, password, last_login, is_superuser, email, is_staff, date_joined) ON tenants_user
    TO glassbox_remover;
REVOKE SELECT ON tenants_user FROM glassbox_api, glassbox_worker;
GRANT SELECT (id, username, first_name, last_name, is_active) ON tenants_user TO glassbox_api, glassbox_worker;

-- All but token_sha256 and secret_sha256.
REVOKE SELECT ON tenants_invitation, tenants_apikey FROM glassbox_auditor;
GRANT SELECT (id, email, role, scope_ids, created_by_id, created_at, sent_at, expires_at, accepted_at, revoked_at,
    tenant_id) ON tenants_invitation TO glassbox_auditor;
GRANT SELECT (id, name, prefix, role, created_at, created_by_id, expires_at, last_used_at, revoked_at, rotated_from_id,
    tenant_id, person_id, with_second_factor) ON tenants_apikey TO glassbox_auditor;

-- Whether an account has this mailbox.
CREATE FUNCTION tenants_has_mailbox(account uuid, address text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN EXISTS (SELECT FROM public.tenants_user u WHERE u.id = account AND u.email = address AND address <> '');
END
$$;
REVOKE ALL ON FUNCTION tenants_has_mailbox(uuid, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tenants_has_mailbox(uuid, text) TO glassbox_api, glassbox_worker;
