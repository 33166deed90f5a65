-- What the database holds of a run of removals beside its steps (apps/erasure/runs/flow.py).
--
-- A run is proposed in the proposer's own name and approved in another person's; the names are those of the signed
-- scope token. Its targets are those that were added in the transaction that made it (removal_targets.sql). From its
-- approval on the eraser alone moves it.
--
-- A run with a physical proof is carried out after its preparation, and ends after a clean scan. What was prepared and
-- found is written by the server's administrator alone, who does both: neither the eraser nor anybody else of the
-- application can say that a scan was clean. A physical proof that can't be made is given up by one person who manages
-- privacy and another who approves, each in their own name; from then on the run ends without it, and never as if it
-- had been made.

-- What may change of a run stands in it twice: as it is, and as it was. Every other column is immutable.
CREATE FUNCTION audit_removal_run_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    step text;
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.frozen_at IS NOT NULL OR NEW.started_at IS NOT NULL OR NEW.prepared_at IS NOT NULL
            OR NEW.verifying_at IS NOT NULL
            OR NEW.verification <> '{}'::jsonb OR NEW.end_events <> '{}'::uuid[]
            OR NEW.unproven_code <> '' OR NEW.unproven_agreed_by IS NOT NULL THEN
            RAISE EXCEPTION 'a removal run starts as a proposal' USING ERRCODE = 'check_violation';
        END IF;
        IF NOT (authz.acts_as(NEW.proposed_by) AND (authz.may('privacy.manage')
            OR NEW.origin = 'removal' AND authz.may('document.delete'))) THEN
            RAISE EXCEPTION 'a removal run is proposed in one''s own name, by who may manage privacy'
                USING ERRCODE = 'check_violation';
        END IF;
        -- Of the whole transaction, whatever savepoints it has.
        NEW.made_in := pg_current_xact_id()::text;
        RETURN NEW;
    END IF;

    IF (to_jsonb(NEW) - (
            '{state,frozen_at,approved_by,approved_at,rejected_by,rejected_at,rejection_code,started_at,'
            'finished_at,attempts,next_attempt_at,lease_owner,lease_until,error_code,decided_revision,'
            'prepared_at,verifying_at,verification,end_events,unproven_code,unproven_asked_by,unproven_asked_at,'
            'unproven_agreed_by,unproven_agreed_at}'
        )::text[]) IS DISTINCT FROM (to_jsonb(OLD) - (
            '{state,frozen_at,approved_by,approved_at,rejected_by,rejected_at,rejection_code,started_at,'
            'finished_at,attempts,next_attempt_at,lease_owner,lease_until,error_code,decided_revision,'
            'prepared_at,verifying_at,verification,end_events,unproven_code,unproven_asked_by,unproven_asked_at,'
            'unproven_agreed_by,unproven_agreed_at}'
        )::text[]) THEN
        RAISE EXCEPTION 'a removal run keeps what it is, where it comes from and who proposed it'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.frozen_at IS DISTINCT FROM OLD.frozen_at
        AND (OLD.frozen_at IS NOT NULL OR OLD.made_in <> pg_current_xact_id()::text) THEN
        RAISE EXCEPTION 'a removal run is frozen once, where it is made' USING ERRCODE = 'check_violation';
    END IF;

    step := OLD.state || ' to ' || NEW.state;
    IF step = 'proposed to approved' AND (OLD.frozen_at IS NULL OR NOT EXISTS (
        SELECT FROM public.audit_removaltarget t WHERE t.tenant_id = OLD.tenant_id AND t.run_id = OLD.id
    )) THEN
        RAISE EXCEPTION 'a removal run is approved when its targets are frozen' USING ERRCODE = 'check_violation';
    END IF;

    -- An agreement that was given before lets nobody else try it again.
    IF step = 'failed to approved' AND NOT authz.may('privacy.manage')
        AND NEW.unproven_agreed_by IS NOT DISTINCT FROM OLD.unproven_agreed_by THEN
        RAISE EXCEPTION 'a removal run is tried again by who may manage privacy'
            USING ERRCODE = 'check_violation';
    END IF;
    -- What waits for a decision and what is over keep how far they are, from the eraser too.
    IF (current_user <> 'glassbox_eraser'
        OR NEW.state = OLD.state AND OLD.state IN ('proposed', 'rejected', 'completed', 'partially_completed')) AND (
        NEW.verifying_at IS DISTINCT FROM OLD.verifying_at
        OR NEW.end_events IS DISTINCT FROM OLD.end_events
        OR (step NOT IN ('failed to approved', 'partially_completed to approved')
            AND (NEW.finished_at, NEW.next_attempt_at, NEW.error_code)
                IS DISTINCT FROM (OLD.finished_at, OLD.next_attempt_at, OLD.error_code))
        OR NEW.started_at IS DISTINCT FROM OLD.started_at OR NEW.attempts IS DISTINCT FROM OLD.attempts
        OR NEW.lease_owner IS DISTINCT FROM OLD.lease_owner OR NEW.lease_until IS DISTINCT FROM OLD.lease_until
    ) THEN
        RAISE EXCEPTION 'the eraser alone carries out a removal run' USING ERRCODE = 'insufficient_privilege';
    END IF;

    IF (NEW.prepared_at, NEW.verification) IS DISTINCT FROM (OLD.prepared_at, OLD.verification)
        AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'what was prepared and found is written by whoever looked: the server''s administrator'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF step IN ('approved to executing', 'failed to executing') AND NEW.proof = 'physical'
        AND NEW.prepared_at IS NULL AND NEW.unproven_agreed_by IS NULL THEN
        RAISE EXCEPTION 'a removal run with a physical proof is prepared before anything goes'
            USING ERRCODE = 'check_violation';
    END IF;
    IF (step = 'executing to verifying') <> (NEW.proof = 'physical') AND step IN (
        'executing to verifying', 'executing to completed', 'executing to partially_completed') THEN
        RAISE EXCEPTION 'a removal run is verified when its proof is a physical one'
            USING ERRCODE = 'check_violation';
    END IF;
    IF step IN ('verifying to completed', 'verifying to partially_completed') THEN
        IF NEW.unproven_agreed_by IS NULL AND (
            (NEW.verification #>> '{control,proves}') IS DISTINCT FROM 'true'
            OR (NEW.verification #>> '{physical,complete}') IS DISTINCT FROM 'true'
            OR (NEW.verification #>> '{scan,clean}') IS DISTINCT FROM 'true') THEN
            RAISE EXCEPTION 'a removal run ends after a control that proves, the physical phase and a clean scan'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.end_events[:cardinality(OLD.end_events)] IS DISTINCT FROM OLD.end_events
            OR cardinality(NEW.end_events) <> cardinality(OLD.end_events) + 1 THEN
            RAISE EXCEPTION 'the end of a removal run is one event of the log' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.end_events IS DISTINCT FROM OLD.end_events THEN
        RAISE EXCEPTION 'the end of a removal run is noted when it ends' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.unproven_code, NEW.unproven_asked_by, NEW.unproven_asked_at)
        IS DISTINCT FROM (OLD.unproven_code, OLD.unproven_asked_by, OLD.unproven_asked_at) AND (
            OLD.unproven_agreed_by IS NOT NULL OR NEW.proof <> 'physical' OR NEW.state <> OLD.state
            OR NEW.state NOT IN ('approved', 'verifying', 'failed') OR NOT authz.may('privacy.manage')
            OR NOT authz.acts_as(coalesce(NEW.unproven_asked_by, OLD.unproven_asked_by))
        ) THEN
        RAISE EXCEPTION 'a physical proof that is not made yet is given up in one''s own name, by who manages privacy'
            USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.unproven_agreed_by, NEW.unproven_agreed_at)
        IS DISTINCT FROM (OLD.unproven_agreed_by, OLD.unproven_agreed_at) AND (
            OLD.unproven_agreed_by IS NOT NULL OR OLD.unproven_asked_by IS NULL
            OR NEW.unproven_asked_by IS DISTINCT FROM OLD.unproven_asked_by
            OR OLD.state NOT IN ('approved', 'verifying', 'failed')
            OR NEW.unproven_agreed_by IS NULL OR NEW.unproven_agreed_at IS NULL
            OR NOT authz.acts_as(NEW.unproven_agreed_by) OR authz.acts_as(OLD.unproven_asked_by)
            OR NOT authz.may('privacy.approve')
        ) THEN
        RAISE EXCEPTION 'another person, who may approve, agrees that a physical proof is given up'
            USING ERRCODE = 'check_violation';
    END IF;
    IF step = 'partially_completed to approved' THEN
        -- What stayed is prepared for anew.
        NEW.prepared_at := NULL;
        NEW.verification := '{}'::jsonb;
    ELSIF step = 'executing to verifying' THEN
        -- What an earlier attempt did to the disk says nothing of what was removed since.
        NEW.verification := NEW.verification - '{batch,plan,physical,scan,waits}'::text[];
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_removalrun_step BEFORE INSERT OR UPDATE ON audit_removalrun
    FOR EACH ROW EXECUTE FUNCTION audit_removal_run_step();

-- What is approved is what was read: a decision names the revision that it is about. A revision counts what whoever
-- decides has to read, which of a run is each step that people take, and not whose turn it is. Another one than stands
-- there is refused, whoever sends it.
CREATE FUNCTION audit_removalrun_stepped_revision() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.revision <> 1 OR NEW.decided_revision IS NOT NULL THEN
            RAISE EXCEPTION 'what is to be decided on begins with its first revision' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.state <> NEW.state AND OLD.state || ' to ' || NEW.state IN ('proposed to approved', 'proposed to rejected')
        OR NEW.unproven_agreed_by IS DISTINCT FROM OLD.unproven_agreed_by THEN
        IF NEW.decided_revision IS DISTINCT FROM OLD.revision THEN
            RAISE EXCEPTION 'nothing is decided: revision % stands there, and % was read',
                OLD.revision, coalesce(NEW.decided_revision::text, 'none') USING ERRCODE = 'check_violation';
        END IF;
    ELSIF NEW.decided_revision IS DISTINCT FROM OLD.decided_revision THEN
        RAISE EXCEPTION 'which revision was decided on is set by the decision' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.revision IS DISTINCT FROM OLD.revision AND NOT (false) THEN
        RAISE EXCEPTION 'revisions are counted by the database' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.state, NEW.unproven_code, NEW.unproven_asked_by, NEW.unproven_agreed_by)
        IS DISTINCT FROM (OLD.state, OLD.unproven_code, OLD.unproven_asked_by, OLD.unproven_agreed_by) THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_removalrun_stepped BEFORE INSERT OR UPDATE ON audit_removalrun
    FOR EACH ROW EXECUTE FUNCTION audit_removalrun_stepped_revision();

CREATE FUNCTION audit_removal_is_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION 'what was removed, and who said so, is kept: % of % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_removalrun_kept BEFORE DELETE OR TRUNCATE ON audit_removalrun
    FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_is_kept();
CREATE TRIGGER audit_removaltarget_kept BEFORE DELETE OR TRUNCATE ON audit_removaltarget
    FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_is_kept();
CREATE TRIGGER audit_removalstep_kept BEFORE DELETE OR TRUNCATE ON audit_removalstep
    FOR EACH STATEMENT EXECUTE FUNCTION audit_removal_is_kept();

CREATE FUNCTION audit_removal_ledger_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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

GRANT UPDATE (
    state, frozen_at, approved_by, approved_at, rejected_by, rejected_at, rejection_code, finished_at, next_attempt_at,
    error_code, decided_revision
) ON audit_removalrun TO glassbox_api, glassbox_worker;
GRANT UPDATE (unproven_code, unproven_asked_by, unproven_asked_at, unproven_agreed_by, unproven_agreed_at)
    ON audit_removalrun TO glassbox_api;
GRANT SELECT, UPDATE (
    state, started_at, finished_at, attempts, next_attempt_at, lease_owner, lease_until, error_code, verifying_at,
    end_events
) ON audit_removalrun TO glassbox_eraser;
GRANT SELECT, INSERT, UPDATE ON audit_removalstep TO glassbox_eraser;
