"""What the database holds of a run of removals. Part of migration 0006.

A run is proposed in the proposer's own name and approved in another person's; the names are those of the signed scope
token. Its targets are those that were added in the transaction that made it. From its approval on the eraser alone
moves it, and deletes only what it names.
"""

from __future__ import annotations

# Columns of a run that change at all. Whatever a later migration adds is immutable, unless it is named here.
_MOVING = (
    "state,frozen_at,approved_by,approved_at,rejected_by,rejected_at,rejection_code,started_at,finished_at,attempts,"
    "next_attempt_at,lease_owner,lease_until,error_code"
)
_ERASERS = "started_at,attempts,lease_owner,lease_until"

STEPS = (
    """
    CREATE FUNCTION audit_removal_run_step() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    DECLARE
        step text;
    BEGIN
        IF TG_OP = 'INSERT' THEN
            IF NEW.state <> 'proposed' OR NEW.frozen_at IS NOT NULL OR NEW.approved_by IS NOT NULL
                OR NEW.rejected_by IS NOT NULL OR NEW.started_at IS NOT NULL THEN
                RAISE EXCEPTION 'a removal run starts as a proposal' USING ERRCODE = 'check_violation';
            END IF;
            IF NOT (authz.acts_as(NEW.proposed_by) AND authz.may('privacy.manage')) THEN
                RAISE EXCEPTION 'a removal run is proposed in one''s own name, by who may manage privacy'
                    USING ERRCODE = 'check_violation';
            END IF;
            -- Of the whole transaction, whatever savepoints it has.
            NEW.made_in := pg_current_xact_id()::text;
            RETURN NEW;
        END IF;

        IF (to_jsonb(NEW) - '{moving}'::text[]) IS DISTINCT FROM (to_jsonb(OLD) - '{moving}'::text[]) THEN
            RAISE EXCEPTION 'a removal run keeps what it is, where it comes from and who proposed it'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.frozen_at IS DISTINCT FROM OLD.frozen_at
            AND (OLD.frozen_at IS NOT NULL OR OLD.made_in <> pg_current_xact_id()::text) THEN
            RAISE EXCEPTION 'a removal run is frozen once, where it is made' USING ERRCODE = 'check_violation';
        END IF;

        step := OLD.state || ' to ' || NEW.state;
        IF NEW.state <> OLD.state AND step NOT IN (
            'proposed to approved', 'proposed to rejected', 'approved to executing', 'executing to completed',
            'executing to partially_completed', 'executing to failed', 'failed to executing', 'failed to approved',
            'partially_completed to approved'
        ) THEN
            RAISE EXCEPTION 'a removal run can''t go from % to %', OLD.state, NEW.state
                USING ERRCODE = 'check_violation';
        END IF;

        IF step = 'proposed to approved' THEN
            IF OLD.frozen_at IS NULL OR NOT EXISTS (
                SELECT FROM public.audit_removaltarget t WHERE t.tenant_id = OLD.tenant_id AND t.run_id = OLD.id
            ) THEN
                RAISE EXCEPTION 'a removal run is approved when its targets are frozen'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NOT authz.may('privacy.approve') OR authz.acts_as(OLD.proposed_by) THEN
                RAISE EXCEPTION 'a removal run is approved by somebody else, who may approve'
                    USING ERRCODE = 'check_violation';
            END IF;
            IF NEW.approved_by IS NULL OR NEW.approved_at IS NULL OR NOT authz.acts_as(NEW.approved_by) THEN
                RAISE EXCEPTION 'a removal run is approved in the approver''s own name'
                    USING ERRCODE = 'check_violation';
            END IF;
        ELSIF (NEW.approved_by, NEW.approved_at) IS DISTINCT FROM (OLD.approved_by, OLD.approved_at) THEN
            RAISE EXCEPTION 'who approved a removal run is set by the approval' USING ERRCODE = 'check_violation';
        END IF;

        IF step = 'proposed to rejected' THEN
            IF NOT (authz.may('privacy.approve') OR authz.may('privacy.manage'))
                OR NEW.rejected_by IS NULL OR NOT authz.acts_as(NEW.rejected_by) THEN
                RAISE EXCEPTION 'a removal run is rejected in one''s own name, by who may approve or manage privacy'
                    USING ERRCODE = 'check_violation';
            END IF;
        ELSIF (NEW.rejected_by, NEW.rejected_at, NEW.rejection_code)
            IS DISTINCT FROM (OLD.rejected_by, OLD.rejected_at, OLD.rejection_code) THEN
            RAISE EXCEPTION 'who rejected a removal run is set by the rejection' USING ERRCODE = 'check_violation';
        END IF;

        -- What was kept, and is not any more, goes on for whoever released it: it was approved, and is not decided anew.
        IF step = 'failed to approved' AND NOT authz.may('privacy.manage') THEN
            RAISE EXCEPTION 'a removal run is tried again by who may manage privacy'
                USING ERRCODE = 'check_violation';
        END IF;
        IF current_user <> 'glassbox_eraser' AND (
            step IN ('approved to executing', 'failed to executing', 'executing to completed',
                     'executing to partially_completed', 'executing to failed')
            OR (step NOT IN ('failed to approved', 'partially_completed to approved')
                AND (NEW.finished_at, NEW.next_attempt_at, NEW.error_code)
                    IS DISTINCT FROM (OLD.finished_at, OLD.next_attempt_at, OLD.error_code))
            OR (to_jsonb(NEW) -> '{erasers}') IS DISTINCT FROM (to_jsonb(OLD) -> '{erasers}')
        ) THEN
            RAISE EXCEPTION 'the eraser alone carries out a removal run' USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NEW;
    END
    $$;
    CREATE TRIGGER audit_removalrun_step BEFORE INSERT OR UPDATE ON audit_removalrun
        FOR EACH ROW EXECUTE FUNCTION audit_removal_run_step();

    CREATE FUNCTION audit_removal_is_kept() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        RAISE EXCEPTION 'what was removed, and who said so, is kept: % of % is refused', TG_OP, TG_TABLE_NAME
            USING ERRCODE = 'insufficient_privilege';
    END
    $$;

    CREATE FUNCTION audit_removal_target_added() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF EXISTS (
            SELECT FROM added a WHERE a.outcome <> 'pending' OR a.authorised_by IS NOT NULL OR NOT EXISTS (
                SELECT FROM public.audit_removalrun r
                 WHERE r.tenant_id = a.tenant_id AND r.id = a.run_id AND r.state = 'proposed'
                   AND r.frozen_at IS NULL AND r.made_in = pg_current_xact_id()::text)
        ) THEN
            RAISE EXCEPTION 'targets are added to a removal run where it is made, and not after'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER audit_removaltarget_added AFTER INSERT ON audit_removaltarget REFERENCING NEW TABLE AS added
        FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_target_added();

    CREATE FUNCTION audit_removal_target_step() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF current_user <> 'glassbox_eraser' OR EXISTS (
            SELECT FROM new_rows n FULL JOIN old_rows o ON o.tenant_id = n.tenant_id AND o.id = n.id
             WHERE (to_jsonb(n) - '{outcome,ground,authorised_by}'::text[])
                   IS DISTINCT FROM (to_jsonb(o) - '{outcome,ground,authorised_by}'::text[])
                OR (o.outcome = 'removed' AND n.outcome <> 'removed')
                OR (o.authorised_by IS NOT NULL AND n.authorised_by IS DISTINCT FROM o.authorised_by)
                OR NOT EXISTS (
                   SELECT FROM public.audit_removalrun r
                    WHERE r.tenant_id = n.tenant_id AND r.id = n.run_id AND r.state = 'executing')
        ) THEN
            RAISE EXCEPTION 'the targets of a removal run are frozen; what became of them is the eraser''s to say'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        RETURN NULL;
    END
    $$;
    CREATE TRIGGER audit_removaltarget_step AFTER UPDATE ON audit_removaltarget
        REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
        FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_target_step();

    CREATE FUNCTION audit_removal_ledger_step() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp AS $$
    BEGIN
        IF current_user <> 'glassbox_eraser' OR NOT EXISTS (
            SELECT FROM public.audit_removalrun r
             WHERE r.tenant_id = NEW.tenant_id AND r.id = NEW.run_id AND r.state = 'executing'
        ) THEN
            RAISE EXCEPTION 'the eraser alone writes the ledger of a removal run, while it carries it out'
                USING ERRCODE = 'insufficient_privilege';
        END IF;
        IF TG_OP = 'UPDATE' THEN
            IF (NEW.id, NEW.tenant_id, NEW.run_id, NEW.store, NEW.ordinal, NEW.before)
                IS DISTINCT FROM (OLD.id, OLD.tenant_id, OLD.run_id, OLD.store, OLD.ordinal, OLD.before)
                OR NEW.removed < OLD.removed THEN
                RAISE EXCEPTION 'a ledger keeps what was there before, and what was removed'
                    USING ERRCODE = 'check_violation';
            END IF;
        END IF;
        RETURN NEW;
    END
    $$;
    CREATE TRIGGER audit_removalstep_step BEFORE INSERT OR UPDATE ON audit_removalstep
        FOR EACH ROW EXECUTE FUNCTION audit_removal_ledger_step();
""".replace("{moving}", "{" + _MOVING + "}").replace(
        "(to_jsonb(NEW) -> '{erasers}') IS DISTINCT FROM (to_jsonb(OLD) -> '{erasers}')",
        " OR ".join(f"NEW.{name} IS DISTINCT FROM OLD.{name}" for name in _ERASERS.split(",")),
    )
    + "".join(
        f"""
    CREATE TRIGGER {table}_kept BEFORE DELETE OR TRUNCATE ON {table}
        FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_is_kept();
"""
        for table in ("audit_removalrun", "audit_removaltarget", "audit_removalstep")
    )
)
NO_STEPS = """
    DROP TRIGGER audit_removalrun_kept ON audit_removalrun;
    DROP TRIGGER audit_removaltarget_kept ON audit_removaltarget;
    DROP TRIGGER audit_removalstep_kept ON audit_removalstep;
    DROP TRIGGER audit_removalstep_step ON audit_removalstep;
    DROP TRIGGER audit_removaltarget_step ON audit_removaltarget;
    DROP TRIGGER audit_removaltarget_added ON audit_removaltarget;
    DROP TRIGGER audit_removalrun_step ON audit_removalrun;
    DROP FUNCTION audit_removal_ledger_step();
    DROP FUNCTION audit_removal_target_step();
    DROP FUNCTION audit_removal_target_added();
    DROP FUNCTION audit_removal_is_kept();
    DROP FUNCTION audit_removal_run_step();
"""

_TENANT = "tenant_id = (SELECT authz.tenant())"
# As the floor of the table has it: an identity reads which tenants have runs.
_TENANT_OR_ALL = "(tenant_id = (SELECT authz.tenant_if_open())) OR ((SELECT authz.identity(4)) = 'all')"

# The functions belong to glassbox_remover once `manage.py migrate` has handed them over, as audit_erase does.
_FUNCTIONS = """
    CREATE FUNCTION audit_removal_targets(kind text) RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT t.item_id FROM public.audit_removaltarget t
          JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
         WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
           AND t.type = audit_removal_targets.kind AND t.outcome = 'pending'
    $$;
    CREATE FUNCTION audit_removal_terms() RETURNS SETOF text
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
        SELECT 'removal:' || t.item_id::text || ':' || t.part FROM public.audit_removaltarget t
          JOIN public.audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
         WHERE r.tenant_id = authz.tenant() AND r.state = 'executing'
           AND t.type = 'event_group' AND t.outcome = 'pending'
    $$;
    REVOKE ALL ON FUNCTION audit_removal_targets(text), audit_removal_terms() FROM PUBLIC;
    GRANT EXECUTE ON FUNCTION audit_removal_targets(text), audit_removal_terms() TO glassbox_eraser;
    GRANT SELECT ON audit_removalrun, audit_removaltarget TO glassbox_remover;
"""
_POLICIES = f"""
    CREATE POLICY removal ON audit_removalrun AS PERMISSIVE FOR SELECT TO glassbox_remover USING ({_TENANT_OR_ALL});
    CREATE POLICY removal ON audit_removaltarget AS PERMISSIVE FOR ALL TO glassbox_remover
        USING ({_TENANT}) WITH CHECK ({_TENANT});
"""
_GRANTS = """
    REVOKE UPDATE ON audit_removalrun FROM glassbox_api, glassbox_worker;
    GRANT UPDATE (state, frozen_at, approved_by, approved_at, rejected_by, rejected_at, rejection_code, finished_at,
                  next_attempt_at, error_code) ON audit_removalrun TO glassbox_api, glassbox_worker;
    REVOKE INSERT ON audit_removalstep FROM glassbox_api, glassbox_worker;
    GRANT SELECT ON audit_removalrun, audit_removaltarget, audit_removalstep TO glassbox_eraser;
    GRANT UPDATE (state, started_at, finished_at, attempts, next_attempt_at, lease_owner, lease_until, error_code)
        ON audit_removalrun TO glassbox_eraser;
    GRANT UPDATE (outcome, ground, authorised_by) ON audit_removaltarget TO glassbox_eraser;
    GRANT INSERT, UPDATE ON audit_removalstep TO glassbox_eraser;

    -- The eraser records what it does, and authorises removals from the log: of what an executing run names, no more.
    GRANT INSERT ON audit_event, audit_payload, audit_unsealed TO glassbox_eraser;
    GRANT SELECT, INSERT ON audit_datakey TO glassbox_eraser;
    -- The policy of tenants asks it, also where it is the clock that goes through all of them.
    GRANT SELECT (tenant_id, user_id) ON tenants_membership TO glassbox_eraser;
    CREATE POLICY removal_of_a_run ON audit_payload AS RESTRICTIVE FOR INSERT TO glassbox_eraser WITH CHECK (
        NOT EXISTS (
            SELECT FROM unnest(terms) AS named (term)
             WHERE named.term LIKE 'removal:%' AND named.term NOT IN (SELECT audit_removal_terms()))
    );
"""
RIGHTS = _FUNCTIONS + _POLICIES + _GRANTS
NO_RIGHTS = """
    DROP POLICY removal_of_a_run ON audit_payload;
    REVOKE SELECT (tenant_id, user_id) ON tenants_membership FROM glassbox_eraser;
    REVOKE SELECT, INSERT ON audit_datakey FROM glassbox_eraser;
    REVOKE INSERT ON audit_event, audit_payload, audit_unsealed FROM glassbox_eraser;
    REVOKE ALL ON audit_removalrun, audit_removaltarget, audit_removalstep FROM glassbox_eraser;
    DROP POLICY removal ON audit_removaltarget;
    DROP POLICY removal ON audit_removalrun;
    REVOKE SELECT ON audit_removalrun, audit_removaltarget FROM glassbox_remover;
    DROP FUNCTION audit_removal_terms();
    DROP FUNCTION audit_removal_targets(text);
"""
