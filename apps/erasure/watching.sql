-- name: under_way
SELECT r.tenant_id, r.state, r.proof = 'physical' AND r.prepared_at IS NULL AND r.unproven_agreed_by IS NULL,
       r.approved_at, r.prepared_at, r.verifying_at, r.lease_until, r.next_attempt_at, r.attempts
  FROM audit_removalrun r
 WHERE r.state IN ('approved', 'executing', 'verifying', 'failed')
 ORDER BY r.tenant_id, r.id
