-- name: unique_keys_without_tenant
SELECT g.relname, i.indexrelid::regclass::text
  FROM guarded g JOIN pg_index i ON i.indrelid = g.oid
 WHERE (i.indisunique OR i.indisexclusion) AND NOT i.indexrelid::regclass::text = ANY (%(global)s::text[])
   AND g.relname <> ALL (%(platform)s::text[])
   AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                      AND a.attnum = ANY (i.indkey))
 ORDER BY 1, 2

-- name: foreign_keys_without_tenant
SELECT g.relname, k.conname, t.relname
  FROM guarded g JOIN pg_constraint k ON k.conrelid = g.oid AND k.contype = 'f'
  JOIN guarded t ON t.oid = k.confrelid
 WHERE g.relname <> ALL (%(platform)s::text[]) AND t.relname <> 'tenants_user'
   AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                      AND a.attnum = ANY (k.conkey))
 ORDER BY 1, 2

-- name: indexes_without_tenant
SELECT g.relname, i.indexrelid::regclass::text
  FROM guarded g JOIN pg_index i ON i.indrelid = g.oid JOIN pg_class c ON c.oid = i.indexrelid
  JOIN pg_am m ON m.oid = c.relam
 WHERE NOT i.indisprimary AND m.amname <> 'hash'
   AND (NOT i.indisunique OR g.relname = ANY (%(platform)s::text[]))
   AND NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = g.oid AND a.attname = 'tenant_id'
                      AND a.attnum = ANY (i.indkey))
 ORDER BY 1, 2

-- name: scoped
, scoped AS (
    SELECT g.* FROM guarded g WHERE EXISTS (
        SELECT FROM pg_policy p WHERE p.polrelid = g.oid AND p.polpermissive AND p.polcmd = '*'
           AND pg_get_expr(p.polqual, g.oid) LIKE '%%(scope_id = ANY%%'))

-- name: indexes_without_scope
SELECT s.relname, i.indexrelid::regclass::text
  FROM scoped s JOIN pg_index i ON i.indrelid = s.oid
 WHERE (SELECT count(*) FROM pg_attribute a WHERE a.attrelid = s.oid
           AND a.attname IN ('tenant_id', 'scope_id') AND a.attnum = ANY (i.indkey)) < 2
 ORDER BY 1, 2

-- name: foreign_keys_without_scope
SELECT s.relname, k.conname
  FROM scoped s JOIN pg_constraint k ON k.conrelid = s.oid AND k.contype = 'f'
  JOIN scoped t ON t.oid = k.confrelid
 WHERE NOT EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = s.oid AND a.attname = 'scope_id'
                      AND a.attnum = ANY (k.conkey))
 ORDER BY 1, 2

-- name: hidden_ranges
, asked AS (
    SELECT DISTINCT p.polrelid AS relid, d.refobjsubid AS attnum
      FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
       AND d.refclassid = 'pg_class'::regclass AND d.refobjid = p.polrelid AND d.refobjsubid > 0
     WHERE p.polcmd IN ('r', '*')
)
SELECT g.relname, i.indexrelid::regclass::text, a.attname::text, string_agg(DISTINCT m.attname::text, ', ')
  FROM guarded g JOIN pg_index i ON i.indrelid = g.oid
  JOIN pg_attribute a ON a.attrelid = i.indexrelid AND a.atttypid IN ('timestamptz'::regtype, 'int8'::regtype)
  JOIN asked ON asked.relid = g.oid AND asked.attnum <> ALL (i.indkey)
  JOIN pg_attribute m ON m.attrelid = g.oid AND m.attnum = asked.attnum
  JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am ON pg_am.oid = c.relam
 WHERE pg_am.amname <> 'hash' AND NOT i.indexrelid::regclass::text = ANY (%(told)s::text[])
 GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
