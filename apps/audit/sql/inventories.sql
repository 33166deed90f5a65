-- What the database itself holds of inventories.
--
-- The platform alone searches and finds; a person who manages privacy decides, in their own name, and only while the
-- request is assessed. Nobody changes where something was found, and nobody removes that it was.
--
-- The platform decides nothing. What it may write of a place that it finds in a redacted version is what was decided of
-- another one already: cleared, for the same request, by that person, then, with that reason, in the version that this
-- one was made of. Whoever decides again does so in their own name, and of this place alone.
--
-- Whoever decides keeps the request where it is (FOR SHARE). Asked without a lock, a decision that was not committed
-- yet outlasted the proposal and its approval, and a transaction that sees what was there when it began (REPEATABLE
-- READ) never saw them: what was approved then was not what stood there.

CREATE FUNCTION audit_inventory_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    is_platform boolean;
    manages boolean;
    is_assessed boolean;
    stays text[];
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        RAISE EXCEPTION 'inventories are kept: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    is_platform := authz.may('glassbox.platform');
    manages := authz.may('privacy.manage') AND NOT is_platform;
    IF manages THEN
        PERFORM FROM public.audit_erasurerequest r
          WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id FOR SHARE;
    END IF;
    is_assessed := EXISTS (
        SELECT FROM public.audit_erasurerequest r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id
           AND (r.state = 'assessing' OR r.state = 'inventory_ready' AND r.purpose = 'erasure'));

    IF TG_TABLE_NAME = 'audit_inventory' THEN
        IF TG_OP = 'INSERT' THEN
            IF NOT (manages AND authz.acts_as(NEW.requested_by_id) AND is_assessed) OR NEW.state <> 'waiting'
                OR NEW.started_at IS NOT NULL OR NEW.finished_at IS NOT NULL OR NEW.counts <> '{}'::jsonb THEN
                RAISE EXCEPTION 'an inventory is asked for while a request is assessed, in one''s own name'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END IF;
        IF NOT is_platform OR OLD.state IN ('done', 'failed')
            OR (NEW.id, NEW.tenant_id, NEW.request_id, NEW.requested_by_id, NEW.requested_at, NEW.description)
               IS DISTINCT FROM
               (OLD.id, OLD.tenant_id, OLD.request_id, OLD.requested_by_id, OLD.requested_at, OLD.description) THEN
            RAISE EXCEPTION 'the platform alone searches, and an inventory stays as it ended'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF TG_TABLE_NAME = 'audit_inventoryhit' THEN
        IF TG_OP = 'INSERT' THEN
            IF NOT is_platform OR NEW.quoting <> '' OR NEW.hidden IS NOT NULL
                OR (NEW.decision <> 'open' OR NEW.words IS NOT NULL OR NEW.carried_from_id IS NOT NULL) AND NOT EXISTS (
                SELECT FROM public.audit_inventoryhit o
                  JOIN public.audit_inventorytreatment t ON t.tenant_id = o.tenant_id AND t.document_id = o.target_id
                 WHERE o.tenant_id = NEW.tenant_id AND o.id = NEW.carried_from_id AND o.request_id = NEW.request_id
                   AND o.decision = 'cleared' AND o.target_type = 'document' AND NEW.target_type = 'document'
                   AND t.treatment = 'redact' AND t.redacted_id = NEW.target_id
                   AND (o.decision, o.reason, o.decided_by_id, o.decided_at, o.store, o.part, o.char_end - o.char_start)
                     = (NEW.decision, NEW.reason, NEW.decided_by_id, NEW.decided_at, NEW.store, NEW.part,
                        NEW.char_end - NEW.char_start)
                   AND o.page IS NOT DISTINCT FROM NEW.page AND (o.words IS NULL) = (NEW.words IS NULL)) THEN
                RAISE EXCEPTION 'the platform alone finds, and says of a place only what was decided of it before'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END IF;
        stays := ARRAY[
            'decision', 'reason', 'words', 'quoting', 'hidden', 'decided_by_id', 'decided_at', 'carried_from_id'];
        IF is_platform THEN
            stays := ARRAY['inventory_id', 'how', 'matched', 'confidence', 'is_certain'];
        ELSIF NOT (manages AND is_assessed)
            OR NEW.carried_from_id IS NOT NULL
            OR (NEW.decision <> 'open' AND NOT coalesce(authz.acts_as(NEW.decided_by_id), false)) THEN
            RAISE EXCEPTION 'a place is decided on in one''s own name, while the request is assessed'
                USING ERRCODE = 'check_violation';
        END IF;
    ELSE
        IF TG_OP = 'INSERT' THEN
            IF NOT (manages AND authz.acts_as(NEW.chosen_by_id) AND is_assessed) OR NEW.redacted_id IS NOT NULL
                OR NEW.error_code <> '' THEN
                RAISE EXCEPTION 'what becomes of a document is chosen in one''s own name, while the request is assessed'
                    USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END IF;
        stays := ARRAY['treatment', 'chosen_by_id', 'chosen_at', 'asked_at', 'redacted_id', 'error_code'];
        IF is_platform THEN
            stays := ARRAY['redacted_id', 'error_code'];
        ELSIF NOT (manages AND authz.acts_as(NEW.chosen_by_id) AND is_assessed)
            OR (NEW.redacted_id IS NOT NULL AND NEW.redacted_id IS DISTINCT FROM OLD.redacted_id) THEN
            RAISE EXCEPTION 'what becomes of a document is chosen in one''s own name, while the request is assessed'
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    IF (to_jsonb(NEW) - stays) IS DISTINCT FROM (to_jsonb(OLD) - stays) THEN
        RAISE EXCEPTION 'what was found, and what was decided of it, each changes by who may'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_inventory_step BEFORE INSERT OR UPDATE OR DELETE ON audit_inventory
    FOR EACH ROW EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER audit_inventory_no_truncate BEFORE TRUNCATE ON audit_inventory
    FOR EACH STATEMENT EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER audit_inventoryhit_step BEFORE INSERT OR UPDATE OR DELETE ON audit_inventoryhit
    FOR EACH ROW EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER audit_inventoryhit_no_truncate BEFORE TRUNCATE ON audit_inventoryhit
    FOR EACH STATEMENT EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER audit_inventorytreatment_step BEFORE INSERT OR UPDATE OR DELETE ON audit_inventorytreatment
    FOR EACH ROW EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER audit_inventorytreatment_no_truncate BEFORE TRUNCATE ON audit_inventorytreatment
    FOR EACH STATEMENT EXECUTE FUNCTION audit_inventory_step();

-- What an obstacle asks in the transaction that removes: which documents an open request is about.
GRANT SELECT (id, tenant_id, request_id, scope_ids, target_type, target_id, target_part, decision)
    ON audit_inventoryhit TO glassbox_eraser;
-- What audit_remove_packages asks: which packages quote what a run takes.
GRANT SELECT (tenant_id, request_id, target_type, target_id, decision) ON audit_inventoryhit TO glassbox_remover;
CREATE POLICY removal ON audit_inventoryhit AS PERMISSIVE FOR SELECT TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant()));
CREATE POLICY removal_floor ON audit_inventoryhit AS RESTRICTIVE FOR SELECT TO PUBLIC
    USING (tenant_id = (SELECT authz.tenant()));
-- What is random can't be compressed; trying would cost time on every write.
ALTER TABLE audit_inventoryhit ALTER COLUMN words SET STORAGE EXTERNAL, ALTER COLUMN hidden SET STORAGE EXTERNAL;
