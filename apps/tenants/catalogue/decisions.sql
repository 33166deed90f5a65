-- name: unguarded_decisions
SELECT g.relname, a.attname
  FROM guarded g JOIN pg_attribute a ON a.attrelid = g.oid
 WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'uuid'::regtype AND a.attname ~ %(pattern)s
   AND NOT EXISTS (
        SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
         WHERE t.tgrelid = g.oid AND t.tgenabled IN ('O', 'A') AND p.proname = 'tenants_second_person'
           -- Arguments end with a zero byte each; the second is the column.
           AND position('\000' || a.attname || '\000' IN encode(t.tgargs, 'escape')) > 0)
 ORDER BY 1, 2
