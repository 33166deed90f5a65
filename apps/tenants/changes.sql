-- name: until
-- statement_timestamp is a time before the locks are tried. The transaction's own locks do not block it, and it can
-- read what it wrote itself.
SELECT least(statement_timestamp(), min(to_timestamp(ten::bigint * %(seconds)s)))
  FROM (SELECT floor(extract(epoch FROM statement_timestamp()) / %(seconds)s)::int AS now,
               floor(extract(epoch FROM %(since)s::timestamptz) / %(seconds)s) AS since,
               hashtext('changes of ' || %(tenant)s::text) AS tenant) AS asked,
       generate_series(greatest(now - %(longest)s, least(since, now + 1))::int, now) AS ten
 WHERE CASE WHEN pg_try_advisory_lock(tenant, ten) THEN NOT pg_advisory_unlock(tenant, ten) ELSE true END
