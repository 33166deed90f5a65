-- name: forget
WITH old AS (
    SELECT id FROM audit_webhookdelivery
     WHERE tenant_id = %(tenant)s AND webhook_id = %(webhook)s AND state <> 'waiting' AND ended_at < %(before)s
     LIMIT %(most)s
), attempts AS (
    DELETE FROM audit_webhookattempt a USING old
     WHERE a.tenant_id = %(tenant)s AND a.delivery_id = old.id RETURNING a.delivery_id
)
SELECT id FROM old
