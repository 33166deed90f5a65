-- name: closed
-- An erased tenant closes all its scopes. A scope that was made below an erased scope is closed with it.
WITH RECURSIVE named AS (
    SELECT t.type, t.item_id FROM audit_removaltarget t
      JOIN audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
     WHERE t.tenant_id = %(tenant)s AND t.type IN ('scope', 'tenant')
       AND r.origin = 'request' AND r.state NOT IN ('proposed', 'rejected')
), closed (id) AS (
    SELECT item_id FROM named WHERE type = 'scope'
    UNION
    SELECT s.id FROM tenants_scope s JOIN closed c ON s.parent_id = c.id WHERE s.tenant_id = %(tenant)s
)
SELECT asked.id FROM unnest(%(asked)s::uuid[]) AS asked (id)
 WHERE asked.id IN (SELECT id FROM closed) OR EXISTS (SELECT FROM named WHERE type = 'tenant')
