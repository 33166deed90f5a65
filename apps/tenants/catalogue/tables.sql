-- name: unguarded_tables
SELECT g.relname, g.relispartition, g.relrowsecurity, g.relforcerowsecurity,
       (SELECT count(*) FROM pg_policy p WHERE p.polrelid = g.oid AND p.polpermissive),
       (SELECT count(*) FROM pg_policy p
         WHERE p.polrelid = g.oid AND p.polpermissive AND NOT EXISTS (
               SELECT FROM pg_policy f
                WHERE f.polrelid = g.oid AND NOT f.polpermissive
                  AND (f.polcmd = p.polcmd OR (f.polcmd = '*' AND p.polcmd = 'a'))
                  AND f.polroles = '{0}'::oid[]
                  AND (p.polcmd = 'a'
                       OR pg_get_expr(f.polqual, g.oid) IS NOT DISTINCT FROM pg_get_expr(p.polqual, g.oid))
                  AND pg_get_expr(f.polwithcheck, g.oid)
                      IS NOT DISTINCT FROM pg_get_expr(p.polwithcheck, g.oid))),
       (SELECT count(*) FROM pg_policy p
         WHERE p.polrelid = g.oid AND p.polpermissive
           AND (coalesce(pg_get_expr(p.polqual, g.oid), 'authz.') NOT LIKE '%%authz.%%'
                OR coalesce(pg_get_expr(p.polwithcheck, g.oid), 'authz.') NOT LIKE '%%authz.%%'))
  FROM guarded g ORDER BY g.relname

-- name: unguarded_relations
SELECT c.relname,
       CASE c.relkind WHEN 'v' THEN 'View' WHEN 'm' THEN 'Materialised view' ELSE 'Foreign table' END
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
 WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('v', 'm', 'f')
   AND NOT (c.relkind = 'v' AND 'security_invoker=true' = ANY (coalesce(c.reloptions, '{}')))
   AND EXISTS (SELECT FROM unnest(%(roles)s::text[]) AS r (name)
                WHERE has_any_column_privilege(r.name, c.oid, 'SELECT'))
 ORDER BY 1

-- name: tables_with_statistics
SELECT g.relname, string_agg(a.attname, ', ' ORDER BY a.attnum)
  FROM guarded g JOIN pg_attribute a ON a.attrelid = g.oid
 WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
 GROUP BY 1 ORDER BY 1

-- name: tables_out_of_order
SELECT g.relname FROM guarded g
 WHERE NOT EXISTS (
       SELECT FROM pg_policy p
        WHERE p.polrelid = g.oid AND NOT p.polpermissive AND p.polcmd = '*' AND p.polroles = '{0}'::oid[]
          AND pg_get_expr(p.polqual, g.oid) = 'authz.conditions_in_order()')
 ORDER BY 1

-- name: policies_out_of_order
SELECT g.relname, p.polname
  FROM guarded g JOIN pg_policy p ON p.polrelid = g.oid
 WHERE NOT p.polpermissive AND p.polroles = '{0}'::oid[] AND p.polqual IS NOT NULL AND EXISTS (
       SELECT FROM pg_policy f
        WHERE f.polrelid = g.oid AND NOT f.polpermissive AND f.polname < p.polname
          AND f.polcmd IN ('*', p.polcmd) AND f.polname LIKE 'isolation%%floor')
   AND p.polname NOT LIKE 'isolation%%floor'
   AND NOT EXISTS (SELECT FROM pg_policy t
        WHERE t.polrelid = g.oid AND t.polpermissive AND t.polcmd = p.polcmd
          AND pg_get_expr(t.polqual, g.oid) IS NOT DISTINCT FROM pg_get_expr(p.polqual, g.oid))
 ORDER BY 1, 2
