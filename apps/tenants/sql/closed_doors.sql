-- What PostgreSQL lets everybody call, and what looks past row-level security: activity and locks of other sessions,
-- counters and sizes that include hidden rows, large objects that no policy guards, the ending of other sessions.
-- Applied by apps/tenants/provision.py as superuser, after authz.sql; every statement can be repeated. A server that
-- does not let its administrator do so keeps the doors open, and `manage.py isolation check` says which.

-- A condition that is marked LEAKPROOF may be an index's: a scan then visits hidden rows by what they hold, and EXPLAIN
-- ANALYZE counts them. So the mark stays where an index of ours could not be used without: equality, and ranges of
-- a bigint, such as places in the log, and of a time, for pages and periods of it. `title < 'm'` asks the rows that the
-- policies have passed. An index that has a time visits no hidden row by it (catalogue/keys.py).
DO $$
DECLARE
    marked regprocedure;
BEGIN
    FOR marked IN SELECT oid FROM pg_proc WHERE proleakproof AND proname !~ {leakproof} LOOP
        EXECUTE format('ALTER FUNCTION %s NOT LEAKPROOF', marked);
    END LOOP;
    FOR marked IN SELECT oid FROM pg_proc
                   WHERE NOT proleakproof AND proname ~ {leakproof} AND pronamespace = 'pg_catalog'::regnamespace LOOP
        EXECUTE format('ALTER FUNCTION %s LEAKPROOF', marked);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'pg_catalog''s functions keep their LEAKPROOF marks: this administrator may not change them';
END
$$;

-- Of a set of scopes that lies within the token's the planner would guess that one row in a thousand is in them, and read
-- and sort a whole log for its first page. It keeps no statistics that it could know better by; without an estimator it
-- guesses one in two, which is what a reader of the log sees, and walks along the index.
DO $$
BEGIN
    ALTER OPERATOR pg_catalog.<@ (anyarray, anyarray) SET (RESTRICT = NONE);
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'lists of the log are planned badly: this administrator may not change an operator';
END
$$;

DO $$
DECLARE
    door regprocedure;
BEGIN
    FOR door IN
        SELECT p.oid FROM pg_proc p
         WHERE p.pronamespace = 'pg_catalog'::regnamespace
           AND (p.proname LIKE ANY ({closed}::text[]) OR p.oid::regprocedure::text LIKE ANY ({closed}::text[]))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', door);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', door);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'pg_catalog''s functions stay open to everybody: this administrator may not revoke them';
END
$$;
