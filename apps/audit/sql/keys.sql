-- Keys that contain the scopes of what they point at: a row is as hard to read as what it belongs to.

-- Immediate: an event is there before what it says.
ALTER TABLE audit_payload ADD CONSTRAINT audit_payload_event_fk
    FOREIGN KEY (tenant_id, event_id, scope_ids) REFERENCES audit_event (tenant_id, id, scope_ids);

-- A delivery names its endpoint and its event, each with its scopes, and a check holds the event's within the
-- endpoint's: no row, the platform's own included, sends an event further.
ALTER TABLE audit_webhookdelivery ADD CONSTRAINT audit_webhookdelivery_webhook_fk
    FOREIGN KEY (tenant_id, webhook_id, scope_ids) REFERENCES audit_webhook (tenant_id, id, scope_ids);
ALTER TABLE audit_webhookdelivery ADD CONSTRAINT audit_webhookdelivery_event_fk
    FOREIGN KEY (tenant_id, event_id, event_scope_ids) REFERENCES audit_event (tenant_id, id, scope_ids);
ALTER TABLE audit_webhookattempt ADD CONSTRAINT audit_webhookattempt_delivery_fk
    FOREIGN KEY (tenant_id, delivery_id, scope_ids) REFERENCES audit_webhookdelivery (tenant_id, id, scope_ids);

ALTER TABLE audit_leaf ADD CONSTRAINT leaf_is_a_hash CHECK (octet_length(hash) = 32);
ALTER TABLE audit_subtree ADD CONSTRAINT subtree_is_a_hash CHECK (octet_length(hash) = 32);
ALTER TABLE audit_checkpoint ADD CONSTRAINT checkpoint_is_a_hash CHECK (octet_length(root) = 32);

-- What is random can't be compressed; trying would cost time on every write.
ALTER TABLE audit_payload ALTER COLUMN ciphertext SET STORAGE EXTERNAL;
-- Its rows come and go: vacuumed by their number, not by the share of a table that is empty most of the time.
ALTER TABLE audit_unsealed SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
