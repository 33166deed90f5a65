-- What glassbox_remover's function asks of the versions that a next one replaces (apps/intents/sql/replacing.sql): all of
-- them, also those that are restricted, and so hidden from whoever makes the next one run.
ALTER POLICY hidden_by_restriction ON corpus_document
    USING (CURRENT_USER = 'glassbox_remover' OR id <> ALL ((SELECT hidden_documents())::uuid[]))
    WITH CHECK (CURRENT_USER = 'glassbox_remover' OR id <> ALL ((SELECT hidden_documents())::uuid[]));
CREATE POLICY replaced ON corpus_document AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()) AND scope_id = ANY ((SELECT authz.scopes())::uuid[]))
    WITH CHECK (tenant_id = (SELECT authz.tenant()) AND scope_id = ANY ((SELECT authz.scopes())::uuid[]));
GRANT SELECT (id, tenant_id, scope_id, series_id, version, kind, content_sha256, filename, status, valid_to)
    ON corpus_document TO glassbox_remover;
