-- name: definers
SELECT n.nspname || '.' || p.proname, p.prosecdef, n.nspname || '.' || p.proname = ANY (%(listed)s::text[]),
       pg_get_userbyid(p.proowner), 'search_path=pg_catalog, pg_temp' = ANY (coalesce(p.proconfig, '{}')),
       EXISTS (SELECT FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
                WHERE x.grantee = 0 AND x.privilege_type = 'EXECUTE')
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND (p.prosecdef OR n.nspname = 'authz')
 ORDER BY 1

-- name: strong_roles
SELECT r.rolname, array_remove(ARRAY[
           CASE WHEN r.rolsuper THEN 'is a superuser' END,
           CASE WHEN r.rolbypassrls THEN 'has BYPASSRLS' END,
           CASE WHEN r.rolcreaterole THEN 'may make roles' END,
           CASE WHEN r.rolcreatedb THEN 'may make databases' END,
           CASE WHEN r.rolreplication THEN 'may replicate' END,
           CASE WHEN EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid)
                THEN 'is a member of another role' END,
           CASE WHEN EXISTS (SELECT FROM pg_class c WHERE c.relowner = r.oid)
                  OR EXISTS (SELECT FROM pg_proc p WHERE p.proowner = r.oid)
                  OR EXISTS (SELECT FROM pg_namespace n WHERE n.nspowner = r.oid) THEN 'owns objects' END,
           CASE WHEN EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid AND (s.setdatabase <> 0
                                OR EXISTS (SELECT FROM unnest(s.setconfig) AS o (set)
                                            WHERE r.rolname || ':' || o.set <> ALL (%(limits)s::text[]))))
                THEN 'has settings of its own for every session' END,
           CASE WHEN EXISTS (SELECT FROM unnest(%(needed)s::text[]) AS l (set)
                              WHERE starts_with(l.set, r.rolname || ':') AND NOT EXISTS (
                                    SELECT FROM pg_db_role_setting s WHERE s.setrole = r.oid
                                       AND l.set = ANY (
                                           SELECT r.rolname || ':' || o FROM unnest(s.setconfig) AS o)))
                THEN 'lacks a limit of time' END,
           CASE WHEN has_database_privilege(r.rolname, current_database(), 'CREATE')
                THEN 'may make schemas' END,
           CASE WHEN has_database_privilege(r.rolname, current_database(), 'TEMP')
                THEN 'may make temporary tables' END,
           CASE WHEN EXISTS (SELECT FROM pg_namespace n WHERE n.nspname NOT LIKE 'pg\_%%'
                                AND has_schema_privilege(r.rolname, n.oid, 'CREATE'))
                THEN 'may create in a schema' END,
           CASE WHEN has_any_column_privilege(r.rolname, 'authz.signing_key', 'SELECT, INSERT, UPDATE')
                THEN 'may touch the signing keys' END
       ]::text[], NULL)
  FROM pg_roles r WHERE r.rolname = ANY (%(roles)s::text[]) ORDER BY 1

-- name: rights
, held AS (
    SELECT c.oid, c.relname, r.name AS role, p.name AS right_,
           EXISTS (SELECT FROM guarded g WHERE g.oid = c.oid) AS is_guarded
      FROM pg_class c, unnest(%(roles)s::text[]) AS r (name),
           unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER',
                        'MAINTAIN']) AS p (name)
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
       AND CASE WHEN p.name IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
                THEN has_any_column_privilege(r.name, c.oid, p.name)
                ELSE has_table_privilege(r.name, c.oid, p.name) END
)
SELECT relname, role, string_agg(right_, ', ' ORDER BY right_) FROM held
 WHERE right_ IN ('TRUNCATE', 'REFERENCES', 'TRIGGER', 'MAINTAIN')
    OR (role = 'glassbox_auditor' AND right_ <> 'SELECT')
    OR (relname = ANY (%(recorded)s::text[]) AND right_ <> 'SELECT')
    OR (relname = ANY (%(rewrapped)s::text[]) AND right_ NOT IN ('SELECT', 'INSERT')
        AND (role, right_) <> ('glassbox_worker', 'UPDATE'))
    OR (relname = ANY (%(sealed)s::text[]) AND right_ <> 'SELECT'
        AND (role, right_) <> ('glassbox_worker', 'INSERT'))
    OR (relname = ANY (%(queued)s::text[]) AND right_ <> 'SELECT'
        AND (role, right_) <> ('glassbox_worker', 'DELETE'))
    OR (NOT is_guarded AND NOT role || ':' || relname || ':' || right_ = ANY (%(granted)s::text[]))
 GROUP BY 1, 2 ORDER BY 1, 2

-- name: open_functions
SELECT p.oid::regprocedure::text FROM pg_proc p
 WHERE p.pronamespace = 'pg_catalog'::regnamespace
   AND (p.proname LIKE ANY (%(closed)s::text[]) OR p.oid::regprocedure::text LIKE ANY (%(closed)s::text[]))
   AND EXISTS (SELECT FROM unnest(%(roles)s::text[]) AS r (name)
                WHERE has_function_privilege(r.name, p.oid, 'EXECUTE'))
 ORDER BY 1

-- name: beyond_scopes
SELECT 'may ' || p.name || ' ' || c.relname || '.' || a.attname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid,
       unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) AS p (name)
 WHERE n.nspname IN ('public', 'authz') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(%(role)s, c.oid, a.attnum, p.name)
   AND NOT (p.name = 'SELECT' AND c.relname || '.' || a.attname = ANY (%(columns)s::text[]))
 UNION ALL
SELECT 'may ' || p.name || ' ' || c.relname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
       unnest(ARRAY['DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN']) AS p (name)
 WHERE n.nspname IN ('public', 'authz') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND has_table_privilege(%(role)s, c.oid, p.name)
 UNION ALL
SELECT 'owns the function ' || p.proname
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_roles r ON r.oid = p.proowner
 WHERE r.rolname = %(role)s AND n.nspname || '.' || p.proname <> ALL (%(functions)s::text[])
 UNION ALL
SELECT 'may log in' FROM pg_roles r WHERE r.rolname = %(role)s AND r.rolcanlogin
 UNION ALL
SELECT 'has the member ' || pg_get_userbyid(m.member)
  FROM pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid
 WHERE r.rolname = %(role)s AND m.inherit_option IS DISTINCT FROM false
 ORDER BY 1
