"""What the database itself holds of inventories. Part of migration 0015.

The platform alone searches and finds; a person who manages privacy decides, in their own name, and only while the
request is assessed. Nobody changes where something was found, and nobody removes that it was.
"""

TENANT = "tenant_id = (SELECT authz.tenant())"
SCOPES = f"{TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
_MAY = "(SELECT authz.may('{}'))"
PLATFORM = _MAY.format("glassbox.platform")
MANAGES = _MAY.format("privacy.manage")
READS = f"({MANAGES} OR {_MAY.format('privacy.approve')})"

FORWARD = """
CREATE FUNCTION audit_inventory_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
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
    is_assessed := EXISTS (
        SELECT FROM public.audit_erasurerequest r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.request_id AND r.state IN ('assessing', 'inventory_ready'));

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
            IF NOT is_platform OR NEW.decision <> 'open' OR NEW.words IS NOT NULL THEN
                RAISE EXCEPTION 'the platform alone finds, and decides nothing' USING ERRCODE = 'check_violation';
            END IF;
            RETURN NEW;
        END IF;
        stays := ARRAY['decision', 'reason', 'words', 'decided_by_id', 'decided_at'];
        IF is_platform THEN
            stays := ARRAY['inventory_id', 'how', 'matched', 'confidence', 'is_certain'];
        ELSIF NOT (manages AND is_assessed)
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
{triggers}
-- What an obstacle asks in the transaction that removes: which documents an open request is about.
GRANT SELECT (id, tenant_id, request_id, scope_ids, target_type, target_id, target_part, decision)
    ON audit_inventoryhit TO glassbox_eraser;
ALTER TABLE audit_inventoryhit ALTER COLUMN words SET STORAGE EXTERNAL;
"""
_TABLES = ("audit_inventory", "audit_inventoryhit", "audit_inventorytreatment")
_TRIGGERS = """
CREATE TRIGGER {0}_step BEFORE INSERT OR UPDATE OR DELETE ON {0}
    FOR EACH ROW EXECUTE FUNCTION audit_inventory_step();
CREATE TRIGGER {0}_no_truncate BEFORE TRUNCATE ON {0}
    FOR EACH STATEMENT EXECUTE FUNCTION audit_inventory_step();
"""
FORWARD = FORWARD.replace("{triggers}", "".join(_TRIGGERS.format(table) for table in _TABLES))
BACKWARD = (
    "REVOKE ALL ON audit_inventoryhit FROM glassbox_eraser;"
    + "".join(
        f"DROP TRIGGER {table}_no_truncate ON {table}; DROP TRIGGER {table}_step ON {table};" for table in _TABLES
    )
    + "DROP FUNCTION audit_inventory_step();"
)

# The key of a request that was carried out goes once nothing waits for it: no letter is left to be sent. What it sealed
# of the person can't be read by anybody then, in rows, backups and WAL alike.
FORGET = f"""
CREATE FUNCTION audit_forget_request(request uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    tenant uuid := authz.tenant();
    its_key uuid;
    removed bigint;
BEGIN
    IF NOT authz.may('privacy.manage') THEN
        RAISE EXCEPTION 'a request is forgotten by who manages privacy' USING ERRCODE = 'insufficient_privilege';
    END IF;
    SELECT r.data_key_id INTO its_key FROM public.audit_erasurerequest r
     WHERE r.tenant_id = tenant AND r.id = audit_forget_request.request AND r.state = 'completed'
       AND NOT EXISTS (SELECT FROM public.audit_letter l
                        WHERE l.tenant_id = tenant AND l.request_id = r.id AND l.state <> 'sent');
    IF NOT FOUND THEN
        RAISE EXCEPTION 'the request is not completed, or a letter of it is not sent' USING ERRCODE = 'check_violation';
    END IF;
    DELETE FROM public.audit_datakey k
     WHERE k.tenant_id = tenant AND k.id = its_key AND k.subject_id = audit_forget_request.request;
    GET DIAGNOSTICS removed = ROW_COUNT;
    RETURN removed > 0;
END
$$;
REVOKE ALL ON FUNCTION audit_forget_request(uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_forget_request(uuid) TO glassbox_api, glassbox_worker;
GRANT SELECT (subject_id) ON audit_datakey TO glassbox_remover;
GRANT SELECT (tenant_id, id, state, data_key_id) ON audit_erasurerequest TO glassbox_remover;
GRANT SELECT (tenant_id, request_id, state) ON audit_letter TO glassbox_remover;
CREATE POLICY removal ON audit_erasurerequest AS PERMISSIVE FOR ALL TO glassbox_remover
    USING ({TENANT}) WITH CHECK ({TENANT});
CREATE POLICY removal ON audit_letter AS PERMISSIVE FOR ALL TO glassbox_remover
    USING ({TENANT}) WITH CHECK ({TENANT});
"""  # noqa: S608 (constants)
REMEMBER = """
DROP POLICY removal ON audit_letter;
DROP POLICY removal ON audit_erasurerequest;
REVOKE ALL ON audit_letter, audit_erasurerequest FROM glassbox_remover;
REVOKE SELECT (subject_id) ON audit_datakey FROM glassbox_remover;
DROP FUNCTION audit_forget_request(uuid);
"""
