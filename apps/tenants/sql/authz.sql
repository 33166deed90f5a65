-- The database's half of the wall: it verifies the tokens that the application mints (apps/tenants/tokens.py).
-- Applied by apps/tenants/provision.py as superuser; every statement can be repeated.

CREATE SCHEMA IF NOT EXISTS authz AUTHORIZATION glassbox_authz;
REVOKE ALL ON SCHEMA authz FROM PUBLIC;
GRANT USAGE ON SCHEMA authz TO glassbox_owner, glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser,
    glassbox_remover, glassbox_recorder, glassbox_surveyor;

CREATE TABLE IF NOT EXISTS authz.signing_key (
    kid text PRIMARY KEY,
    inner_pad bytea NOT NULL CHECK (octet_length(inner_pad) = 64),
    outer_pad bytea NOT NULL CHECK (octet_length(outer_pad) = 64)
);
ALTER TABLE authz.signing_key OWNER TO glassbox_authz;
REVOKE ALL ON authz.signing_key FROM PUBLIC;

-- Tells one transaction of a backend from its others, by a random number that the transaction gets when it first asks.
-- The number lies in a setting of the server that no role but this function's may set (PostgreSQL's own: no function of
-- the server has such a name, so nothing is logged by it), and is gone with the transaction. The time at which a
-- transaction began would not do: it is the same for all of one message. It takes no transaction id, and writes nothing.
-- Where a server's administrator may not give that right away, the time is what is left; `isolation check` says so.
CREATE OR REPLACE FUNCTION authz.transaction_mark() RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    mark text := current_setting('backtrace_functions');
BEGIN
    IF mark NOT LIKE 'glassbox\_%' THEN
        IF NOT has_parameter_privilege('backtrace_functions', 'SET') THEN
            RETURN ((extract(epoch FROM transaction_timestamp()) * 1000000)::bigint)::text;
        END IF;
        mark := 'glassbox_' || replace(gen_random_uuid()::text, '-', '');
        PERFORM set_config('backtrace_functions', mark, true);
    END IF;
    RETURN mark;
END
$$;

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
    -- A mark that was never asked for is empty, and no token's.
    IF part[4] <> (CASE WHEN has_parameter_privilege('backtrace_functions', 'SET')
                        THEN nullif(current_setting('backtrace_functions'), '') ELSE authz.transaction_mark() END)
       IS NOT FALSE THEN
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

-- The person who is the open scope's principal; NULL for a tenant's key, for the platform, and where no scope is open.
CREATE OR REPLACE FUNCTION authz.person() RETURNS uuid
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    RETURN (SELECT substr(each, 6) FROM unnest(string_to_array(claim[3], ',')) AS each
             WHERE starts_with(each, 'user:'))::uuid;
END
$$;

-- Whether the transaction may know what is personal of an account beside its name: its own person's may, and one whose
-- identity names it, or all. Called for each such value: it looks at either token once.
CREATE OR REPLACE FUNCTION authz.knows(account uuid, username text) RETURNS boolean
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
    field text[] := string_to_array((authz.verified('glassbox.identity', 'i'))[1], ',');
BEGIN
    RETURN coalesce(string_to_array(claim[3], ',') && ARRAY['user:' || account::text], false)
        OR coalesce(field[1] = account::text, false)
        OR coalesce(field[7] = 'all', false)
        OR coalesce(field[5] <> '' AND upper(convert_from(decode(field[5], 'hex'), 'UTF8')) = upper(username), false);
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
-- ended sessions, a mailed link's digest, the account whose password is compared or set, the account that a link is
-- made for, whether the platform itself makes an account (apps/tenants/tokens.py).
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

-- True where the planner keeps conditions in the order of their security: the policies' before the question's. It lets
-- a leakproof condition that costs less than ten operators go first, and what has no function costs nothing (IS NULL,
-- a boolean, an element of an array, GREATEST): at a price of nought per operator nothing costs less than ten.
-- Whoever asks may set that price. So every table behind the wall has a policy that calls this (conditions_in_order.sql).
-- It is IMMUTABLE on purpose, though it is not: the planner then calls it while it plans, and never again; what it saw
-- is what the plan was made under, however long the plan is kept.
CREATE OR REPLACE FUNCTION authz.conditions_in_order() RETURNS boolean
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
    IF current_setting('cpu_operator_cost') <> '0' THEN
        RAISE EXCEPTION 'conditions would run before the policies: cpu_operator_cost is not 0'
            USING ERRCODE = 'insufficient_privilege',
            HINT = 'SET cpu_operator_cost = 0, as the database has it by default.';
    END IF;
    RETURN true;
END
$$;

-- The name of whoever acts, as the token has it (apps/tenants/principals.py); NULL without a scope.
CREATE OR REPLACE FUNCTION authz.actor_label() RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER PARALLEL RESTRICTED
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    claim text[] := authz.verified('glassbox.scope', 's');
BEGIN
    RETURN (SELECT convert_from(decode(split_part(c, ':', 4), 'hex'), 'UTF8')
              FROM unnest(string_to_array(claim[3], ',')) AS c WHERE starts_with(c, 'actor:'));
END
$$;

-- A trigger of rows that vouch for something (apps/tenants/stamping.py): times are the server's and names the token's,
-- whatever a role that runs anything writes. Its arguments are `column:kind`, in the order in which they are filled. The
-- time is the statement's, as Django's Now() has it.
CREATE OR REPLACE FUNCTION authz.stamp() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    given jsonb;
    before jsonb := '{}';
    stamped jsonb := '{}';
    now_ timestamptz := statement_timestamp();
    argument text;
    column_name text;
    kind text;
    was text;
    is_given text;
BEGIN
    IF current_user NOT IN ('glassbox_api', 'glassbox_worker', 'glassbox_eraser') THEN
        RETURN NEW;
    END IF;
    given := to_jsonb(NEW);
    IF TG_OP = 'UPDATE' THEN
        before := to_jsonb(OLD);
    END IF;
    FOREACH argument IN ARRAY TG_ARGV LOOP
        column_name := split_part(argument, ':', 1);
        kind := split_part(argument, ':', 2);
        was := nullif(before ->> column_name, '');
        is_given := nullif(given ->> column_name, '');
        CONTINUE WHEN TG_OP = 'UPDATE' AND given -> column_name IS NOT DISTINCT FROM before -> column_name;
        IF starts_with(kind, 'own') THEN
            CONTINUE WHEN authz.may('glassbox.platform');
            kind := coalesce(nullif(ltrim(substr(kind, 4)), ''), 'time');
        END IF;
        IF kind = 'made' AND TG_OP = 'UPDATE' OR kind = 'once' AND was IS NOT NULL THEN
            stamped := stamped || jsonb_build_object(column_name, before -> column_name);
        ELSIF kind <> 'made' AND is_given IS NULL THEN
            CONTINUE;
        ELSIF kind = 'label' THEN
            stamped := stamped || jsonb_build_object(column_name, authz.actor_label());
        ELSIF kind = 'from' THEN
            stamped := stamped || jsonb_build_object(column_name, greatest(is_given::timestamptz, now_));
        ELSIF kind = 'within' THEN
            stamped := stamped || jsonb_build_object(column_name, least(now_, greatest(
                is_given::timestamptz, coalesce(stamped ->> 'created_at', given ->> 'created_at')::timestamptz)));
        ELSE
            stamped := stamped || jsonb_build_object(column_name, now_);
        END IF;
    END LOOP;
    RETURN CASE stamped WHEN '{}' THEN NEW ELSE jsonb_populate_record(NEW, stamped) END;
END
$$;

DO $$
BEGIN
    GRANT SET ON PARAMETER backtrace_functions TO glassbox_authz;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'tokens are told apart by time alone: this administrator may not grant a parameter';
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'conditions_in_order()', 'transaction_mark()', 'verified(text, text)', 'tenant()', 'scopes()', 'may(text)',
        'acts_as(uuid)', 'person()', 'knows(uuid, text)', 'actor_label()', 'stamp()', 'tenant_if_open()',
        'scopes_if_open()', 'is_open()', 'identity(int)'
    ] LOOP
        EXECUTE format('ALTER FUNCTION authz.%s OWNER TO glassbox_authz', name);
        EXECUTE format('REVOKE ALL ON FUNCTION authz.%s FROM PUBLIC', name);
        IF name <> 'verified(text, text)' THEN
            EXECUTE format(
                'GRANT EXECUTE ON FUNCTION authz.%s TO glassbox_owner, glassbox_api, glassbox_worker, '
                'glassbox_auditor, glassbox_eraser, glassbox_remover, glassbox_recorder, glassbox_surveyor', name);
        END IF;
    END LOOP;
END
$$;

-- What an event of each class must be: which field groups it may and must have, and which permissions its writer's token
-- must hold one of ('anybody': none; without any: the platform alone). Written from the application's registry with every
-- migration (apps/audit/classes_table.py), and held against it at every start.
CREATE TABLE IF NOT EXISTS authz.event_class (
    action text PRIMARY KEY,
    groups text[] NOT NULL,
    required text[] NOT NULL,
    permissions text[] NOT NULL
);
-- What an event is bound to that something acts upon (apps/audit/sql/recording.sql).
ALTER TABLE authz.event_class ADD COLUMN IF NOT EXISTS binding text[] NOT NULL DEFAULT '{}';
ALTER TABLE authz.event_class OWNER TO glassbox_authz;
REVOKE ALL ON authz.event_class FROM PUBLIC;
GRANT SELECT ON authz.event_class TO glassbox_api, glassbox_worker, glassbox_auditor, glassbox_eraser, glassbox_owner,
    glassbox_recorder;
-- Who writes the log (audit_record) takes from the token, in one look, whose it is and what it may.
GRANT EXECUTE ON FUNCTION authz.verified(text, text) TO glassbox_recorder;

-- What is removed again after a restore (apps/operations/backup/repeating.py): no run of that database names it, and here the
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

-- How long sessions of each role may take (config/database.py), written by apps/tenants/provision.py: a role may lift
-- its own limits of time, and not what this function holds it to. NULL: no limit of that kind.
CREATE TABLE IF NOT EXISTS authz.session_limit (
    role name PRIMARY KEY,
    statement interval,
    transaction interval,
    idle interval,
    -- So long PostgreSQL itself has to end it first.
    grace interval NOT NULL
);
ALTER TABLE authz.session_limit OWNER TO glassbox_authz;
REVOKE ALL ON authz.session_limit FROM PUBLIC;
GRANT SELECT ON authz.session_limit TO glassbox_watchdog;
GRANT USAGE ON SCHEMA authz TO glassbox_watchdog;
DO $$
BEGIN
    GRANT pg_signal_backend, pg_read_all_stats TO glassbox_watchdog;
    GRANT EXECUTE ON FUNCTION pg_stat_get_activity(integer), pg_cancel_backend(integer),
        pg_terminate_backend(integer, bigint) TO glassbox_watchdog;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'sessions that lift their limits are not ended: this administrator may not let glassbox_watchdog';
END
$$;

-- Ends what takes longer than its role's limit and the grace: cancels a statement, and ends the session of one that goes
-- on after another grace, of a transaction, and of one that waits for its client. It asks nobody whom to end.
CREATE OR REPLACE FUNCTION authz.end_overlong() RETURNS TABLE (role name, what text, seconds bigint, ended text)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT a.pid, l.role, over.what, over.taken, over.allowed, l.grace
          FROM pg_stat_activity a JOIN authz.session_limit l ON l.role = a.usename
         CROSS JOIN LATERAL (VALUES
             ('transaction', clock_timestamp() - a.xact_start, l.transaction),
             ('idle in transaction', CASE WHEN a.state LIKE 'idle in transaction%' THEN
                 clock_timestamp() - a.state_change END, l.idle),
             ('statement', CASE WHEN a.state NOT LIKE 'idle%' THEN
                 clock_timestamp() - a.query_start END, l.statement)
         ) AS over (what, taken, allowed)
         WHERE a.datname = current_database() AND a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()
           AND over.taken > over.allowed + l.grace
    LOOP
        role := one.role;
        what := one.what;
        seconds := extract(epoch FROM one.taken)::bigint;
        IF one.what = 'statement' AND one.taken <= one.allowed + 2 * one.grace THEN
            ended := 'statement';
            CONTINUE WHEN NOT pg_cancel_backend(one.pid);
        ELSE
            ended := 'session';
            CONTINUE WHEN NOT pg_terminate_backend(one.pid);
        END IF;
        RETURN NEXT;
    END LOOP;
END
$$;
ALTER FUNCTION authz.end_overlong() OWNER TO glassbox_watchdog;
REVOKE ALL ON FUNCTION authz.end_overlong() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION authz.end_overlong() TO glassbox_worker;
