-- The database's half of the wall: it verifies the tokens that the application mints (apps/tenants/tokens.py).
-- Applied by apps/tenants/provision.py as superuser; every statement can be repeated.

CREATE SCHEMA IF NOT EXISTS authz AUTHORIZATION glassbox_authz;
REVOKE ALL ON SCHEMA authz FROM PUBLIC;
GRANT USAGE ON SCHEMA authz TO glassbox_owner, glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser,
    glassbox_remover;

CREATE TABLE IF NOT EXISTS authz.signing_key (
    kid text PRIMARY KEY,
    inner_pad bytea NOT NULL CHECK (octet_length(inner_pad) = 64),
    outer_pad bytea NOT NULL CHECK (octet_length(outer_pad) = 64)
);
ALTER TABLE authz.signing_key OWNER TO glassbox_authz;
REVOKE ALL ON authz.signing_key FROM PUBLIC;

-- Tells one transaction of a backend from its others: when it began, in microseconds since the epoch.
CREATE OR REPLACE FUNCTION authz.transaction_mark() RETURNS text
LANGUAGE sql STABLE PARALLEL RESTRICTED
RETURN ((extract(epoch FROM transaction_timestamp()) * 1000000)::bigint)::text;

-- Returns the three claim fields of a valid token, NULL when the setting is absent, and raises for anything else.
-- After COMMIT a transaction-local setting reads '', not NULL: both count as absent.
-- A token is good for one transaction of one backend: read out of it, it opens nothing in the next one.
CREATE OR REPLACE FUNCTION authz.verified(setting text, purpose text) RETURNS text[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    token text := current_setting(setting, true);
    part text[];
    message text;
    pad_in bytea;
    pad_out bytea;
BEGIN
    IF token IS NULL OR token = '' THEN
        RETURN NULL;
    END IF;
    part := string_to_array(token, '|');
    IF cardinality(part) IS DISTINCT FROM 9 OR part[1] <> purpose THEN
        RAISE EXCEPTION 'no scope is open: the token is malformed' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT inner_pad, outer_pad INTO pad_in, pad_out FROM authz.signing_key WHERE kid = part[2];
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no scope is open: the token is not signed by a known key'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    message := array_to_string(part[1:8], '|');
    -- Digests of the two are compared: how far a guess agrees can't be measured by the time that comparing takes.
    IF sha256(convert_to(encode(sha256(pad_out || sha256(pad_in || convert_to(message, 'UTF8'))), 'hex'), 'UTF8'))
       <> sha256(convert_to(part[9], 'UTF8')) THEN
        RAISE EXCEPTION 'no scope is open: the token is forged' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF part[3] <> pg_backend_pid()::text THEN
        RAISE EXCEPTION 'no scope is open: the token belongs to another connection'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF part[4] <> authz.transaction_mark() THEN
        RAISE EXCEPTION 'no scope is open: the token belongs to another transaction'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF part[5]::bigint < extract(epoch FROM clock_timestamp()) THEN
        RAISE EXCEPTION 'no scope is open: the token has expired' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN part[6:8];
END
$$;

CREATE OR REPLACE FUNCTION authz.tenant() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    IF claim IS NULL THEN
        RAISE EXCEPTION 'no scope is open' USING ERRCODE = 'insufficient_privilege',
            HINT = 'Open one with apps.tenants.context.open_scope.';
    END IF;
    RETURN claim[1]::uuid;
END
$$;

CREATE OR REPLACE FUNCTION authz.scopes() RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    IF claim IS NULL THEN
        RAISE EXCEPTION 'no scope is open' USING ERRCODE = 'insufficient_privilege',
            HINT = 'Open one with apps.tenants.context.open_scope.';
    END IF;
    RETURN string_to_array(claim[2], ',')::uuid[];
END
$$;

-- Whether the open scope's principal holds a permission (apps/tenants/roles.py); the platform itself holds all, as '*'.
CREATE OR REPLACE FUNCTION authz.may(permission text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    RETURN coalesce(string_to_array(claim[3], ',') && ARRAY[permission, '*'], false);
END
$$;

-- Whether the open scope's principal is this very person. The platform itself is nobody: it signs in no one's name.
CREATE OR REPLACE FUNCTION authz.acts_as(person uuid) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    RETURN coalesce(string_to_array(claim[3], ',') && ARRAY['user:' || person::text], false);
END
$$;

-- For the few tables that a sign-in reads before a scope is known: NULL with an identity alone, an error with neither.
CREATE OR REPLACE FUNCTION authz.tenant_if_open() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    IF claim IS NULL AND authz.verified('glassbox.identity', 'i') IS NULL THEN
        RAISE EXCEPTION 'no scope is open' USING ERRCODE = 'insufficient_privilege',
            HINT = 'Open one with apps.tenants.context.open_scope.';
    END IF;
    RETURN claim[1]::uuid;
END
$$;

CREATE OR REPLACE FUNCTION authz.scopes_if_open() RETURNS uuid[]
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    RETURN string_to_array(claim[2], ',')::uuid[];
END
$$;

-- True where a scope or an identity is open, an error where neither is: what is asked first where rows may be read
-- before a scope is known.
CREATE OR REPLACE FUNCTION authz.is_open() RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    PERFORM authz.tenant_if_open();
    RETURN true;
END
$$;

-- Fields, from 1: user, key prefix, directory, all tenants, user name (hex), session key's digest, all accounts,
-- ended sessions (apps/tenants/tokens.py).
CREATE OR REPLACE FUNCTION authz.identity(field int) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.identity', 'i');
BEGIN
    RETURN nullif(split_part(claim[1], ',', field), '');
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'transaction_mark()', 'verified(text, text)', 'tenant()', 'scopes()', 'may(text)', 'acts_as(uuid)', 'tenant_if_open()',
        'scopes_if_open()', 'is_open()', 'identity(int)'
    ] LOOP
        EXECUTE format('ALTER FUNCTION authz.%s OWNER TO glassbox_authz', name);
        EXECUTE format('REVOKE ALL ON FUNCTION authz.%s FROM PUBLIC', name);
        IF name <> 'verified(text, text)' THEN
            EXECUTE format(
                'GRANT EXECUTE ON FUNCTION authz.%s TO glassbox_owner, glassbox_api, glassbox_worker, '
                'glassbox_auditor, glassbox_eraser, glassbox_remover', name);
        END IF;
    END LOOP;
END
$$;

-- What is removed again after a restore (apps/audit/backup/repeating.py): no run of that database names it, and here the
-- owner of the tables does, with the platform's own token. Who serves, and who removes, can't write it. It lies beside
-- the keys, and so in no backup: it is of this very database, and ends by itself should nobody come back to end it.
CREATE TABLE IF NOT EXISTS authz.repeated_removal (
    tenant_id uuid NOT NULL,
    type text NOT NULL,
    item_id uuid NOT NULL,
    until timestamptz NOT NULL DEFAULT now() + interval '1 day',
    PRIMARY KEY (tenant_id, type, item_id)
);
ALTER TABLE authz.repeated_removal OWNER TO glassbox_authz;
ALTER TABLE authz.repeated_removal ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;
REVOKE ALL ON authz.repeated_removal FROM PUBLIC;
GRANT SELECT (tenant_id, type, item_id, until), INSERT (tenant_id, type, item_id), DELETE ON authz.repeated_removal
    TO glassbox_owner;
GRANT SELECT (tenant_id, type, item_id, until) ON authz.repeated_removal TO glassbox_remover;
DROP POLICY IF EXISTS restoring ON authz.repeated_removal;
CREATE POLICY restoring ON authz.repeated_removal FOR ALL TO glassbox_owner
    USING (tenant_id = (SELECT authz.tenant()) AND (SELECT authz.may('log.restore')))
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND (SELECT authz.may('log.restore')));
DROP POLICY IF EXISTS repeated ON authz.repeated_removal;
CREATE POLICY repeated ON authz.repeated_removal FOR SELECT TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()));
