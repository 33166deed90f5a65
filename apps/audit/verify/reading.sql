-- name: groups
-- One index lookup per event: a list of ids would be compared with all of the tenant's rows, batch after batch.
SELECT p.event_id, p.field_group, p.data_key_id, p.ciphertext, p.scope_ids, p.terms
  FROM unnest(%s::uuid[]) AS wanted (id)
 CROSS JOIN LATERAL (
       SELECT event_id, field_group, data_key_id, ciphertext, scope_ids, terms
         FROM audit_payload WHERE tenant_id = %s AND event_id = wanted.id OFFSET 0) AS p

-- name: waiting
SELECT e.id, {seconds}, EXISTS (SELECT FROM audit_unsealed u WHERE u.tenant_id = e.tenant_id
                                       AND u.event_id = e.id)
  FROM audit_event e
 WHERE e.tenant_id = %s AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = e.tenant_id
                                           AND l.event_id = e.id)
 ORDER BY e.id
