-- name: to_go
-- What the platform itself records of the erasure stays, under the newest key; whatever a person or a key did does not.
SELECT count(*) FROM audit_payload p JOIN audit_event e ON e.tenant_id = p.tenant_id AND e.id = p.event_id
 WHERE p.tenant_id = %(tenant)s
   AND (p.data_key_id IS DISTINCT FROM %(newest)s OR e.actor_kind <> 'system')
   AND (p.event_id, p.field_group) NOT IN (
       SELECT held.event_id, held.field_group
         FROM unnest(%(events)s::uuid[], %(groups)s::text[]) AS held (event_id, field_group))
