-- name: verified
-- The last statements, whatever time their rows claim.
SELECT t.id, t.created_at,
       (SELECT coalesce(jsonb_agg(v.note), '[]')
          FROM (SELECT o.note FROM audit_verification o
                 WHERE o.tenant_id = t.id AND o.note <> '' ORDER BY o.id DESC LIMIT 20) v)
  FROM tenants_tenant t
 WHERE t.slug <> 'erased-' || t.id
 ORDER BY t.id
