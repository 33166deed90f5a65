-- What the database holds of a retention schedule beside its steps (apps/erasure/retention/flow.py).
--
-- As with policy versions (apps/intents/sql/versions.sql): a draft is its author's, a review is somebody else's, in
-- their own name; the names are those of the signed scope token. The baseline alone is the platform's, and the first
-- one.

CREATE FUNCTION audit_retention_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    is_own boolean;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.origin = 'baseline' AND NOT authz.may('*') THEN
            RAISE EXCEPTION 'the baseline of the retention schedule is the platform''s'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.origin <> 'baseline' AND NOT (authz.acts_as(NEW.author_id) AND authz.may('privacy.manage')) THEN
            RAISE EXCEPTION 'a retention schedule is written in its author''s own name, by who manages privacy'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    is_own := CASE WHEN OLD.origin = 'baseline' THEN authz.may('*')
                   ELSE authz.acts_as(OLD.author_id) AND authz.may('privacy.manage') END;
    IF OLD.status = 'draft' AND NOT is_own THEN
        RAISE EXCEPTION 'retention schedule %: only its author may change a draft', OLD.number
            USING ERRCODE = 'check_violation';
    END IF;
    IF TG_OP = 'DELETE' THEN
        IF OLD.status <> 'draft' THEN
            RAISE EXCEPTION 'retention schedule % is %: only a draft can be deleted', OLD.number, OLD.status
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN OLD;
    END IF;

    IF (NEW.id, NEW.tenant_id, NEW.number, NEW.origin, NEW.created_at, NEW.author_id, NEW.author_label)
        IS DISTINCT FROM
        (OLD.id, OLD.tenant_id, OLD.number, OLD.origin, OLD.created_at, OLD.author_id, OLD.author_label) THEN
        RAISE EXCEPTION 'a retention schedule keeps its id, tenant, number, origin and author'
            USING ERRCODE = 'check_violation';
    END IF;

    IF NEW.status = 'in_force' AND OLD.status <> 'in_force' THEN
        -- The database's own clock, so that no rule was ever in force before it was approved.
        NEW.valid_from := clock_timestamp();
        UPDATE public.audit_retentionschedule
            SET status = 'superseded', valid_to = NEW.valid_from
            WHERE tenant_id = NEW.tenant_id AND status = 'in_force';
    END IF;

    -- Whatever column a later migration adds is immutable too, unless it is named here.
    IF OLD.status <> 'draft' AND
        to_jsonb(NEW) - (
            '{decided_revision,status,approver_id,approver_label,decided_at,decision_reason,'
            'submitted_at,valid_from,valid_to}'
        )::text[]
        IS DISTINCT FROM
        to_jsonb(OLD) - (
            '{decided_revision,status,approver_id,approver_label,decided_at,decision_reason,'
            'submitted_at,valid_from,valid_to}'
        )::text[]
    THEN
        RAISE EXCEPTION 'retention schedule % is %: only a draft can be changed', OLD.number, OLD.status
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- With its tenant it goes: glassbox_remover removes it then (end_of_tenant.sql), and nobody is that role.
CREATE TRIGGER retention_schedule_step BEFORE INSERT OR UPDATE OR DELETE ON audit_retentionschedule
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION audit_retention_step();

-- What is approved is what was read: a decision names the submission that it is about (removal_runs.sql).
CREATE FUNCTION retention_schedule_stepped_revision() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.revision <> 1 OR NEW.decided_revision IS NOT NULL THEN
            RAISE EXCEPTION 'what is to be decided on begins with its first revision' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.status <> NEW.status
        AND OLD.status || ' to ' || NEW.status IN ('in_review to in_force', 'in_review to rejected') THEN
        IF NEW.decided_revision IS DISTINCT FROM OLD.revision THEN
            RAISE EXCEPTION 'nothing is decided: revision % stands there, and % was read',
                OLD.revision, coalesce(NEW.decided_revision::text, 'none') USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.decided_revision IS DISTINCT FROM OLD.decided_revision THEN
        RAISE EXCEPTION 'which revision was decided on is set by the decision' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.revision IS DISTINCT FROM OLD.revision
        AND NOT (OLD.status = 'draft' AND NEW.status = 'draft' AND NEW.revision = OLD.revision + 1) THEN
        RAISE EXCEPTION 'revisions are counted by the database' USING ERRCODE = 'check_violation';
    END IF;
    IF OLD.status <> NEW.status
        AND OLD.status || ' to ' || NEW.status IN ('draft to in_review') THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER retention_schedule_stepped BEFORE INSERT OR UPDATE ON audit_retentionschedule
    FOR EACH ROW EXECUTE FUNCTION retention_schedule_stepped_revision();

-- Rules change with the draft that they are of, and by nobody but its author. FOR SHARE waits for a submission under
-- way, so that nothing slips in after it.
CREATE FUNCTION audit_retention_require_draft(tenant uuid, schedule uuid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.audit_retentionschedule;
BEGIN
    SELECT * INTO held FROM public.audit_retentionschedule
        WHERE tenant_id = tenant AND id = schedule FOR SHARE;
    IF held.status IS DISTINCT FROM 'draft' THEN
        RAISE EXCEPTION 'retention schedule % is %: only a draft can be changed',
            coalesce(held.number::text, '(unknown)'), coalesce(held.status, 'not there')
            USING ERRCODE = 'check_violation';
    END IF;
    IF NOT (CASE WHEN held.origin = 'baseline' THEN authz.may('*')
                 ELSE authz.acts_as(held.author_id) AND authz.may('privacy.manage') END) THEN
        RAISE EXCEPTION 'retention schedule %: only its author may change a draft', held.number
            USING ERRCODE = 'check_violation';
    END IF;
END
$$;
REVOKE ALL ON FUNCTION audit_retention_require_draft(uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit_retention_require_draft(uuid, uuid) TO glassbox_api, glassbox_worker;

CREATE FUNCTION audit_retention_rule_of_draft() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND (NEW.tenant_id, NEW.schedule_id) IS DISTINCT FROM (OLD.tenant_id, OLD.schedule_id) THEN
        RAISE EXCEPTION 'a retention rule stays in its schedule' USING ERRCODE = 'check_violation';
    END IF;
    PERFORM public.audit_retention_require_draft(OLD.tenant_id, OLD.schedule_id);
    IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER retention_rule_of_draft BEFORE UPDATE OR DELETE ON audit_retentionrule
    FOR EACH ROW WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION audit_retention_rule_of_draft();

-- A schedule gets all of its rules in one statement, and is looked at once for all of them.
CREATE FUNCTION audit_retention_rules_of_draft() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    PERFORM public.audit_retention_require_draft(each.tenant_id, each.schedule_id)
       FROM (SELECT DISTINCT tenant_id, schedule_id FROM added) AS each;
    RETURN NULL;
END
$$;
CREATE TRIGGER retention_rules_of_draft AFTER INSERT ON audit_retentionrule REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION audit_retention_rules_of_draft();
