-- name: all
SELECT t.id, t.created_at,
       EXISTS (SELECT FROM audit_verification v WHERE v.tenant_id = t.id AND v.state IN ('waiting', 'running')),
       (SELECT coalesce(jsonb_agg(jsonb_build_object('night', v.night, 'at', v.finished_at, 'note', v.note)), '[]')
          FROM (SELECT * FROM audit_verification o
                 WHERE o.tenant_id = t.id AND o.night IS NOT NULL AND o.finished_at IS NOT NULL
                 ORDER BY o.id DESC LIMIT {looked_at}) v)
  FROM tenants_tenant t
 WHERE t.slug <> 'erased-' || t.id
 ORDER BY t.id
