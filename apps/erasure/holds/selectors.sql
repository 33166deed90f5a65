-- name: held
SELECT i.type, i.item_id, i.part, i.hold_id,
       CASE i.type WHEN 'document' THEN ARRAY(
                SELECT DISTINCT r.scope_id FROM audit_restriction r
                 WHERE r.tenant_id = i.tenant_id AND r.document_id = i.item_id AND r.because = 'hold')
            ELSE (SELECT e.scope_ids FROM audit_event e WHERE e.tenant_id = i.tenant_id AND e.id = i.item_id) END
  FROM audit_helditem i JOIN audit_legalhold h ON h.tenant_id = i.tenant_id AND h.id = i.hold_id
 WHERE i.tenant_id = %(tenant)s AND h.released_at IS NULL
 ORDER BY i.hold_id, i.id
