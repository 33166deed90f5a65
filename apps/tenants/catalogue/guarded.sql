-- name: guarded
-- The tables, partitions included, that hold rows of tenants or of the platform's people, and whether row-level
-- security is enabled and forced on each.
WITH guarded AS (
    SELECT c.oid, c.relname, c.relispartition, c.relrowsecurity, c.relforcerowsecurity
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
       AND (c.relname = ANY (%(platform)s::text[]) OR EXISTS (
            SELECT FROM pg_attribute a
             WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
)

-- name: names
SELECT relname FROM guarded ORDER BY relname
