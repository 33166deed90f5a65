-- name: about
-- Holds for a request if one of its confirmed places lies in something that is removed.
(
    %(open_tenant)s = ANY (%(tenant)s::uuid[]) OR EXISTS (
        SELECT FROM audit_inventoryhit h
         WHERE h.tenant_id = %(open_tenant)s AND h.request_id = r.id AND h.decision = 'confirmed'
           AND (h.target_type = 'document' AND h.target_id = ANY (%(document)s::uuid[])
             OR h.target_type = 'event_group' AND h.target_id = ANY (%(event_group)s::uuid[])
             OR h.target_type = 'user' AND h.target_id = ANY (%(user)s::uuid[])
             OR h.scope_ids && {scopes_below})))
