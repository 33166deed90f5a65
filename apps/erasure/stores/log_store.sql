-- name: named
SELECT DISTINCT named.event_id
  FROM (SELECT c.tenant_id, c.event_id, split_part(term, ':', 2)::uuid AS named_id,
               substr(term, 46) AS part  -- after "removal:", the id and a colon
          FROM audit_event e
          JOIN audit_payload c ON c.tenant_id = e.tenant_id AND c.event_id = e.id AND c.field_group = 'core'
          JOIN audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id,
               unnest(c.terms) AS term
         WHERE e.action = %(erased)s AND term LIKE 'removal:%%') named
  JOIN audit_payload p ON p.tenant_id = named.tenant_id AND p.event_id = named.named_id
                      AND p.field_group = named.part
 ORDER BY 1

-- name: count
-- The name beside an event goes with its actor; of one that was written without, it is all there is.
SELECT count(*) FROM unnest(%(events)s::uuid[], %(parts)s::text[]) AS wanted (event_id, part)
 WHERE EXISTS (SELECT FROM audit_payload p WHERE p.tenant_id = %(tenant)s AND p.event_id = wanted.event_id
                                             AND p.field_group = wanted.part)
    OR wanted.part = 'actor' AND EXISTS (
       SELECT FROM audit_event e WHERE e.tenant_id = %(tenant)s AND e.id = wanted.event_id AND e.actor_label <> '')

-- name: erasable
-- Of the parts, those that are there and that a sealed event authorises for a run that is being carried out.
SELECT t.item_id, t.part, t.authorised_by
  FROM unnest(%(events)s::uuid[], %(parts)s::text[]) AS wanted (event_id, part)
  JOIN audit_removaltarget t ON t.item_id = wanted.event_id AND t.part = wanted.part
  JOIN audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
  JOIN audit_leaf l ON l.tenant_id = t.tenant_id AND l.event_id = t.authorised_by
  LEFT JOIN audit_payload p ON p.tenant_id = t.tenant_id AND p.event_id = t.item_id AND p.field_group = t.part
 WHERE t.tenant_id = %(tenant)s AND t.type = 'event_group' AND t.outcome = 'pending' AND r.state = 'executing'
   AND (p.event_id IS NOT NULL OR t.part = 'actor' AND EXISTS (
        SELECT FROM audit_event e
         WHERE e.tenant_id = t.tenant_id AND e.id = t.item_id AND e.actor_label <> ''))
 LIMIT %(limit)s
