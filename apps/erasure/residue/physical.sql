-- name: older
WITH far AS (
    SELECT pg_snapshot_xmin(now)::text::bigint AS oldest, pg_snapshot_xmax(now)::text::bigint - %(xid)s AS age
      FROM pg_current_snapshot() AS now
)
SELECT 'session ' || pid FROM pg_stat_activity, far
 WHERE pid <> pg_backend_pid() AND pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
   AND (age(backend_xid) > far.age
        OR (datname = current_database() OR backend_type = 'walsender') AND age(backend_xmin) > far.age)
UNION ALL
SELECT 'prepared transaction ' || gid FROM pg_prepared_xacts, far WHERE age(transaction) > far.age
UNION ALL
SELECT 'replication slot ' || slot_name FROM pg_replication_slots, far
 WHERE greatest(age(xmin), age(catalog_xmin)) > far.age
UNION ALL
-- Whoever it is: this needs no right to see others' sessions.
SELECT 'transaction ' || oldest FROM far WHERE oldest < %(xid)s
