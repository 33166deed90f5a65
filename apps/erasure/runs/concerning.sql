-- name: of_documents
-- However many ids there are, they are a table that is joined, not a list that every row is compared with.
SELECT p.event_id, p.field_group FROM audit_payload p
 WHERE p.tenant_id = %(open_tenant)s AND p.field_group IN ('{passages}', '{answer}')
   AND p.event_id IN (
       SELECT hit.event_id FROM audit_payload hit, unnest(hit.terms) AS found (term)
         JOIN unnest(%(terms)s::text[]) AS wanted (term) ON wanted.term = found.term
        WHERE hit.tenant_id = %(open_tenant)s AND hit.field_group = '{passages}')

-- name: of_users
SELECT p.event_id, p.field_group
  FROM audit_event e JOIN unnest(%(user)s::uuid[]) AS person (id) ON person.id = e.actor_id
  JOIN audit_payload p ON p.tenant_id = e.tenant_id AND p.event_id = e.id
 WHERE e.tenant_id = %(open_tenant)s AND e.actor_kind = 'user'
   AND p.field_group IN ('{actor}', '{question}')

-- name: of_scopes
SELECT p.event_id, p.field_group FROM audit_payload p
 WHERE p.tenant_id = %(open_tenant)s AND p.scope_ids <> '{{}}' AND p.scope_ids <@ {scopes_below}
   AND p.field_group IN ('{question}', '{answer}', '{passages}')

-- name: of_tenant
SELECT p.event_id, p.field_group FROM audit_payload p
 WHERE p.tenant_id = %(open_tenant)s AND p.tenant_id = ANY (%(tenant)s::uuid[]) AND p.field_group <> '{core}'
