-- name: columns
SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname IN ('public', 'authz') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND a.attnum > 0 AND NOT a.attisdropped
 GROUP BY 1

-- name: functions
SELECT p.oid::bigint, p.proname::text, pg_get_userbyid(p.proowner)::text, p.prosecdef,
       coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), coalesce(p.proargnames, '{}')
  FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
 WHERE n.nspname IN ('public', 'authz') AND l.lanname IN ('sql', 'plpgsql')
   AND NOT EXISTS (SELECT FROM pg_depend d
                    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 ORDER BY 1

-- name: fired
SELECT r.name, c.relname::text, t.tgname::text, t.tgfoid::bigint, t.tgtype::int, pg_get_triggerdef(t.oid),
       ARRAY(SELECT p.name FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p (name)
              WHERE CASE WHEN p.name IN ('INSERT', 'UPDATE')
                         THEN has_any_column_privilege(r.name, c.oid, p.name)
                         ELSE has_table_privilege(r.name, c.oid, p.name) END)
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid, unnest(%(roles)s::text[]) AS r (name)
 WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
 ORDER BY 1, 2, 3

-- name: asked
WITH asking AS (
    SELECT p.polrelid AS relation, d.refobjid AS function, p.polroles AS roles
      FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
     WHERE d.refclassid = 'pg_proc'::regclass
    UNION ALL
    SELECT k.conrelid, d.refobjid, '{0}'
      FROM pg_constraint k JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = k.oid
     WHERE d.refclassid = 'pg_proc'::regclass AND k.conrelid <> 0
    UNION ALL
    SELECT a.adrelid, d.refobjid, '{0}'
      FROM pg_attrdef a JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
     WHERE d.refclassid = 'pg_proc'::regclass
)
SELECT DISTINCT r.name, c.relname::text, a.function::bigint
  FROM asking a JOIN pg_class c ON c.oid = a.relation, unnest(%(roles)s::text[]) AS r (name)
 WHERE (a.roles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = r.name) = ANY (a.roles))
   AND has_any_column_privilege(r.name, c.oid, 'SELECT, INSERT, UPDATE')
 ORDER BY 1, 2, 3

-- name: of_policies
SELECT r.name, o.relname::text, array_agg(DISTINCT a.attname::text), p.polname || ' of ' || c.relname
  FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
  JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
       AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> p.polrelid AND d.refobjsubid > 0
  JOIN pg_class o ON o.oid = d.refobjid
  JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid,
       unnest(%(roles)s::text[]) AS r (name)
 WHERE (p.polroles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = r.name) = ANY (p.polroles))
   AND CASE p.polcmd WHEN 'a' THEN has_any_column_privilege(r.name, c.oid, 'INSERT')
                     WHEN 'w' THEN has_any_column_privilege(r.name, c.oid, 'UPDATE')
                     WHEN 'd' THEN has_table_privilege(r.name, c.oid, 'DELETE')
                     ELSE has_any_column_privilege(r.name, c.oid, 'SELECT, INSERT, UPDATE') END
 GROUP BY r.name, o.relname, p.polname, c.relname

-- name: refused_uses
SELECT a.role, a.tab, a.right_, a.col
  FROM unnest(%(roles)s::text[], %(tables)s::text[], %(rights)s::text[], %(columns)s::text[])
       AS a (role, tab, right_, col)
  JOIN pg_class c ON c.relname = a.tab
       AND c.relnamespace IN ('public'::regnamespace, 'authz'::regnamespace)
 WHERE NOT CASE WHEN a.right_ = 'DELETE' THEN has_table_privilege(a.role, c.oid, 'DELETE')
                WHEN a.col = '' THEN has_any_column_privilege(a.role, c.oid, a.right_)
                ELSE has_column_privilege(a.role, c.oid, a.col, a.right_) END
 ORDER BY 1, 2, 3, 4

-- name: blind_uses
SELECT a.role, a.tab, a.right_
  FROM unnest(%(roles)s::text[], %(tables)s::text[], %(rights)s::text[]) AS a (role, tab, right_)
  JOIN pg_class c ON c.relname = a.tab
       AND c.relnamespace IN ('public'::regnamespace, 'authz'::regnamespace)
 WHERE c.relrowsecurity AND NOT EXISTS (
       SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive
          AND (p.polroles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = a.role) = ANY (p.polroles))
          AND p.polcmd IN ('*', CASE a.right_ WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a'
                                              WHEN 'UPDATE' THEN 'w' ELSE 'd' END))
   AND pg_get_userbyid(c.relowner) <> a.role
 ORDER BY 1, 2, 3
