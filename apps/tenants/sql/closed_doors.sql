-- What PostgreSQL lets everybody call, and what looks past row-level security: activity and locks of other sessions,
-- counters and sizes that include hidden rows, large objects that no policy guards, the ending of other sessions.
-- Applied by apps/tenants/provision.py as superuser, after authz.sql; every statement can be repeated. A server that
-- does not let its administrator do so keeps the doors open, and `manage.py isolation check` says which.

-- A condition that is leakproof (`title < 'm'`) and costs less than ten operators is tried before the policy's own: what
-- it finds among hidden rows then shows in EXPLAIN ANALYZE, in time, and in whether "no scope is open" is raised. A cost
-- above that keeps the policy first. Indexes are used as before.
DO $$
DECLARE
    cheap regprocedure;
BEGIN
    FOR cheap IN SELECT oid FROM pg_proc WHERE proleakproof AND procost < 21 LOOP
        EXECUTE format('ALTER FUNCTION %s COST 21', cheap);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'the costs of pg_catalog''s functions stay as they are: this administrator may not change them';
END
$$;

DO $$
DECLARE
    door regprocedure;
BEGIN
    FOR door IN
        SELECT p.oid FROM pg_proc p
         WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname LIKE ANY ({closed}::text[])
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', door);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', door);
    END LOOP;
EXCEPTION WHEN insufficient_privilege THEN
    RAISE WARNING 'pg_catalog''s functions stay open to everybody: this administrator may not revoke them';
END
$$;
