-- name: seal
WITH sealed AS (
    INSERT INTO audit_leaf (tenant_id, event_id, index, hash)
    SELECT %(tenant)s, leaf.event_id, leaf.index, leaf.hash
      FROM unnest(%(events)s::uuid[], %(indices)s::bigint[], %(hashes)s::bytea[]) AS leaf (event_id, index, hash)
)
DELETE FROM audit_unsealed WHERE tenant_id = %(tenant)s AND event_id = ANY (%(events)s::uuid[])

-- name: next
-- One round trip reads the events that wait longest, whether each has its leaf already, and the columns that its leaf
-- is made of. LATERAL with OFFSET 0 forces one lookup per event in each index, whatever the planner knows of a table
-- that is filling.
SELECT waiting.event_id,
       EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = %(tenant)s AND l.event_id = waiting.event_id),
       event.*
  FROM (SELECT event_id FROM audit_unsealed WHERE tenant_id = %(tenant)s AND event_id > %(after)s
         ORDER BY event_id LIMIT %(most)s) AS waiting
  LEFT JOIN LATERAL (
      SELECT {columns} FROM audit_event e WHERE e.tenant_id = %(tenant)s AND e.id = waiting.event_id OFFSET 0
  ) AS event ON true
 ORDER BY waiting.event_id

-- name: waiting
-- The query takes one step per tenant, however many events of each tenant wait.
WITH RECURSIVE waiting (tenant_id) AS (
    (SELECT tenant_id FROM audit_unsealed ORDER BY tenant_id LIMIT 1)
    UNION ALL
    SELECT (SELECT u.tenant_id FROM audit_unsealed u WHERE u.tenant_id > w.tenant_id
             ORDER BY u.tenant_id LIMIT 1)
      FROM waiting w WHERE w.tenant_id IS NOT NULL
)
SELECT tenant_id FROM waiting WHERE tenant_id IS NOT NULL
