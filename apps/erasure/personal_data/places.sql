-- name: columns
SELECT CASE n.nspname WHEN 'public' THEN '' ELSE n.nspname || '.' END || c.relname || '.' || a.attname,
       t.typname
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid
  JOIN pg_type t ON t.oid = a.atttypid
 WHERE n.nspname IN ('public', 'authz') AND c.relkind IN ('r', 'p', 'm', 'f') AND NOT c.relispartition
   AND a.attnum > 0 AND NOT a.attisdropped
