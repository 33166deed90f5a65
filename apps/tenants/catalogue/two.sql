-- name: deletable_by_one
SELECT g.relname FROM guarded g
 WHERE NOT g.relispartition AND g.relname <> ALL (%(one)s::text[])
   AND EXISTS (SELECT FROM unnest(%(roles)s::text[]) AS role (name)
                WHERE has_table_privilege(role.name, g.oid, 'DELETE'))
   AND NOT EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = g.oid AND NOT t.tgisinternal
                      AND t.tgenabled IN ('O', 'A') AND (t.tgtype & 8) <> 0)
 ORDER BY 1
