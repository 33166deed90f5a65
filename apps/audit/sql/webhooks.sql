-- What the database holds of webhooks, whoever writes.
--
-- The wall is by all scopes of the endpoint: whoever lacks one sees neither it nor what was sent to it, and nobody
-- makes one in scopes that they do not hold (keys.sql).

GRANT UPDATE (
    url, actions, sealed, data_key_id, previous_until, paused_at, pause_reason, cursor, failures, failing_since,
    delivered_at, given_up_at, next_attempt_at, lease_owner, lease_until
), DELETE ON audit_webhook TO glassbox_api, glassbox_worker;
GRANT UPDATE (state, attempts, earlier, next_attempt_at, ended_at), DELETE ON audit_webhookdelivery
    TO glassbox_api, glassbox_worker;
GRANT UPDATE (duration_ms, status, error), DELETE ON audit_webhookattempt TO glassbox_api, glassbox_worker;
-- All but what may be as good as a password.
REVOKE SELECT ON audit_webhook FROM glassbox_auditor;
GRANT SELECT (
    id, tenant_id, actions, scope_ids, created_at, paused_at, pause_reason, cursor, failures, failing_since,
    delivered_at, given_up_at, next_attempt_at
) ON audit_webhook TO glassbox_auditor;

-- Asked before those of isolation: PostgreSQL goes by their names. What was sent is the platform's to say; it goes with
-- its endpoint.
CREATE POLICY administers_insert ON audit_webhook AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_update ON audit_webhook AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING ((SELECT authz.may('tenant.manage'))) WITH CHECK ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_delete ON audit_webhook AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_insert ON audit_webhookdelivery AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_update ON audit_webhookdelivery AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING ((SELECT authz.may('tenant.manage'))) WITH CHECK ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_delete ON audit_webhookdelivery AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING ((SELECT authz.may('tenant.manage')));
CREATE POLICY administers_insert ON audit_webhookattempt AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY administers_update ON audit_webhookattempt AS RESTRICTIVE FOR UPDATE TO PUBLIC
    USING ((SELECT authz.may('glassbox.platform'))) WITH CHECK ((SELECT authz.may('glassbox.platform')));
CREATE POLICY administers_delete ON audit_webhookattempt AS RESTRICTIVE FOR DELETE TO PUBLIC
    USING ((SELECT authz.may('tenant.manage')));

-- As eraser_rights.py has it, for tables that are read by scopes: within the scopes that are open, which are all then. Who
-- reads endpoints has a policy of its own, since the clock asks for those of all tenants.
ALTER POLICY isolation_read ON audit_webhook
    TO glassbox_api, glassbox_worker, glassbox_owner, glassbox_auditor, glassbox_eraser, glassbox_remover;
CREATE POLICY end_of_tenant ON audit_webhook AS PERMISSIVE FOR DELETE TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY end_of_tenant ON audit_webhookdelivery AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[])
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
CREATE POLICY end_of_tenant ON audit_webhookattempt AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[])
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_ids <@ (SELECT authz.scopes())::uuid[]);
GRANT SELECT (tenant_id, id), DELETE ON audit_webhook, audit_webhookdelivery, audit_webhookattempt TO glassbox_remover;
GRANT SELECT (tenant_id, id) ON audit_webhook, audit_webhookdelivery, audit_webhookattempt TO glassbox_eraser;
