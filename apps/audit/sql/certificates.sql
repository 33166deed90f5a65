-- Certificates are of ends of runs, issued by the role that signs, for good; tombstones are never changed.

CREATE FUNCTION audit_certificate_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        RAISE EXCEPTION 'certificates are kept as they were issued: % is refused', TG_OP
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF current_user <> 'glassbox_worker' THEN
        RAISE EXCEPTION 'certificates are issued by the role that signs' USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF NOT EXISTS (
        SELECT FROM public.audit_removalrun r
         WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.run_id AND r.proof = 'physical'
           AND (r.origin, r.origin_id) = (NEW.origin, NEW.origin_id) AND NEW.event_id = ANY (r.end_events)
    ) OR NOT EXISTS (
        SELECT FROM public.audit_leaf l JOIN public.audit_checkpoint c ON c.tenant_id = l.tenant_id
         WHERE l.tenant_id = NEW.tenant_id AND l.event_id = NEW.event_id AND l.index = NEW.leaf_index
           AND c.size = NEW.size AND c.root = NEW.root AND l.index < c.size
    ) THEN
        RAISE EXCEPTION 'a certificate is of an end of a removal run that a checkpoint of the log holds'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_certificate_kept BEFORE INSERT OR UPDATE OR DELETE ON audit_certificate
    FOR EACH ROW EXECUTE FUNCTION audit_certificate_is_kept();
CREATE TRIGGER audit_certificate_no_truncate BEFORE TRUNCATE ON audit_certificate
    FOR EACH STATEMENT EXECUTE FUNCTION audit_certificate_is_kept();
GRANT INSERT ON audit_certificate TO glassbox_worker;
CREATE POLICY by_the_platform ON audit_certificate AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));

-- The eraser adds a tombstone before it removes anything.
CREATE TRIGGER audit_tombstonemark_append_only BEFORE UPDATE OR DELETE ON audit_tombstonemark
    FOR EACH ROW EXECUTE FUNCTION audit_log_is_append_only();
CREATE TRIGGER audit_tombstonemark_no_truncate BEFORE TRUNCATE ON audit_tombstonemark
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_is_append_only();
GRANT INSERT ON audit_tombstonemark TO glassbox_worker;
GRANT SELECT, INSERT ON audit_tombstonemark TO glassbox_eraser;
CREATE POLICY by_the_platform ON audit_tombstonemark AS RESTRICTIVE FOR INSERT TO PUBLIC
    WITH CHECK ((SELECT authz.may('glassbox.platform')));
