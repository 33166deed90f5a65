-- name: relations
SELECT pg_relation_filepath(c.oid), c.relname, c.relkind, coalesce(am.amname, ''), coalesce(t.relname, c.relname),
       coalesce(tn.nspname, n.nspname), c.oid::bigint
  FROM pg_class c
  JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_am am ON am.oid = c.relam
  LEFT JOIN pg_index i ON i.indexrelid = c.oid
  -- A TOAST table belongs to a table, its index to a TOAST table.
  LEFT JOIN pg_class o ON o.reltoastrelid = coalesce(i.indrelid, c.oid)
  LEFT JOIN pg_class t ON t.oid = coalesce(o.oid, i.indrelid)
  LEFT JOIN pg_namespace tn ON tn.oid = t.relnamespace
 WHERE pg_relation_filepath(c.oid) IS NOT NULL
