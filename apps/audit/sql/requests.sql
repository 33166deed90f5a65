-- What the database holds of a request beside its steps (apps/privacy/codes/life.py), and who may take a letter about it
-- from state to state.
--
-- The names are those of the signed scope token: nobody receives, proposes or approves in another's name, and what the
-- platform alone may do, no person can. The months are counted here once more, in PostgreSQL's own way of counting
-- them.

-- The same day so many months later, or the last of that month; on a weekend, the Monday after.
CREATE FUNCTION audit_request_due(received_on date, months int) RETURNS date
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
RETURN (
    SELECT last + CASE extract(isodow FROM last) WHEN 6 THEN 2 WHEN 7 THEN 1 ELSE 0 END
      FROM (SELECT (received_on + make_interval(months => months))::date AS last) AS counted
);

CREATE FUNCTION audit_request_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    manages boolean;
    decides boolean;
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        RAISE EXCEPTION 'requests for erasure are kept: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- Only the platform's own token says that it may do everything.
    manages := authz.may('privacy.manage') AND NOT authz.may('glassbox.platform');

    IF TG_OP = 'INSERT' THEN
        IF NEW.identity_asked_at IS NOT NULL OR NEW.identity_confirmed_at IS NOT NULL
            OR NEW.ground <> '' OR NEW.extended_at IS NOT NULL OR NEW.finished_at IS NOT NULL THEN
            RAISE EXCEPTION 'a request begins as received, with nothing done yet' USING ERRCODE = 'check_violation';
        END IF;
        IF NOT (manages AND authz.acts_as(NEW.received_by_id)) THEN
            RAISE EXCEPTION 'a request is received by who manages privacy, in their own name'
                USING ERRCODE = 'check_violation';
        END IF;
        IF NEW.received_at > clock_timestamp() + interval '5 minutes'
            OR NEW.received_on IS DISTINCT FROM (NEW.received_at AT TIME ZONE NEW.zone)::date
            OR NEW.first_due_on IS DISTINCT FROM audit_request_due(NEW.received_on, 1) THEN
            RAISE EXCEPTION 'a request is due one calendar month after its receipt, which is not to come'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF OLD.state IN ('completed', 'refused', 'withdrawn') THEN
        RAISE EXCEPTION 'a request that is % does not change any more', OLD.state USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.id, NEW.tenant_id, NEW.year, NEW.number, NEW.subject_type, NEW.subject_id, NEW.requester, NEW.received_at,
        NEW.zone, NEW.received_on, NEW.first_due_on, NEW.received_by_id, NEW.data_key_id, NEW.created_at)
        IS DISTINCT FROM
       (OLD.id, OLD.tenant_id, OLD.year, OLD.number, OLD.subject_type, OLD.subject_id, OLD.requester, OLD.received_at,
        OLD.zone, OLD.received_on, OLD.first_due_on, OLD.received_by_id, OLD.data_key_id, OLD.created_at) THEN
        RAISE EXCEPTION 'a request keeps its number, subject, receipt and key' USING ERRCODE = 'check_violation';
    END IF;

    decides := OLD.state = 'awaiting_approval' AND NEW.state IN ('restricted', 'inventory_ready');
    IF NEW.state = OLD.state AND NOT manages THEN
        RAISE EXCEPTION 'a request is worked on by who manages privacy' USING ERRCODE = 'check_violation';
    END IF;
    -- Whoever takes another step than the manager's changes the state, and what belongs to that step.
    IF (decides OR NOT manages) AND
        (NEW.details, NEW.language, NEW.identity_asked_at, NEW.identity_confirmed_at, NEW.ground, NEW.extension,
         NEW.extended_at, NEW.due_on, NEW.refusal)
        IS DISTINCT FROM
        (OLD.details, OLD.language, OLD.identity_asked_at, OLD.identity_confirmed_at, OLD.ground, OLD.extension,
         OLD.extended_at, OLD.due_on, OLD.refusal) THEN
        RAISE EXCEPTION 'what was written of a request is changed by who manages privacy'
            USING ERRCODE = 'check_violation';
    END IF;

    IF (NEW.extended_at, NEW.extension, NEW.due_on) IS DISTINCT FROM (OLD.extended_at, OLD.extension, OLD.due_on) AND (
        OLD.extended_at IS NOT NULL OR NEW.extended_at IS NULL
        OR NEW.due_on IS DISTINCT FROM audit_request_due(OLD.received_on, 3)
        OR (clock_timestamp() AT TIME ZONE OLD.zone)::date > OLD.first_due_on
    ) THEN
        RAISE EXCEPTION 'a deadline moves once, by two months, within the first month'
            USING ERRCODE = 'check_violation';
    END IF;

    IF decides AND NEW.state = 'inventory_ready' AND (NEW.run_id, NEW.proposed_by_id, NEW.proposed_at)
        IS DISTINCT FROM (NULL::uuid, NULL::uuid, NULL::timestamptz) THEN
        RAISE EXCEPTION 'a proposal that was rejected leaves nothing behind' USING ERRCODE = 'check_violation';
    END IF;
    IF (NEW.finished_at IS NOT NULL)
        IS DISTINCT FROM (NEW.state IN ('completed', 'partially_completed', 'refused', 'withdrawn')) THEN
        RAISE EXCEPTION 'a request has an end when it has ended' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_request_step BEFORE INSERT OR UPDATE OR DELETE ON audit_erasurerequest
    FOR EACH ROW EXECUTE FUNCTION audit_request_step();
CREATE TRIGGER audit_request_no_truncate BEFORE TRUNCATE ON audit_erasurerequest
    FOR EACH STATEMENT EXECUTE FUNCTION audit_request_step();

-- What is approved is what was read: a decision names the revision that it is about, which every change of a request
-- counts (removal_runs.sql).
CREATE FUNCTION audit_request_stepped_revision() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.revision <> 1 OR NEW.decided_revision IS NOT NULL THEN
            RAISE EXCEPTION 'what is to be decided on begins with its first revision' USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF OLD.state <> NEW.state
        AND OLD.state || ' to ' || NEW.state IN (
            'awaiting_approval to restricted', 'awaiting_approval to inventory_ready') THEN
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
    IF NEW IS DISTINCT FROM OLD THEN
        NEW.revision := OLD.revision + 1;
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_request_stepped BEFORE INSERT OR UPDATE ON audit_erasurerequest
    FOR EACH ROW EXECUTE FUNCTION audit_request_stepped_revision();

CREATE FUNCTION audit_letter_step() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    step text;
    is_platform boolean;
    manages boolean;
BEGIN
    IF TG_OP IN ('DELETE', 'TRUNCATE') THEN
        RAISE EXCEPTION 'letters are kept: % is refused', TG_OP USING ERRCODE = 'insufficient_privilege';
    END IF;
    is_platform := authz.may('glassbox.platform');
    manages := authz.may('privacy.manage') AND NOT is_platform;

    IF TG_OP = 'INSERT' THEN
        IF (NEW.delivery, NEW.state) NOT IN (('email', 'waiting'), ('post', 'to_post')) OR NEW.attempts <> 0
            OR NEW.sent_at IS NOT NULL OR NEW.claimed_at IS NOT NULL THEN
            RAISE EXCEPTION 'a letter begins unsent' USING ERRCODE = 'check_violation';
        END IF;
        IF NOT (manages AND authz.acts_as(NEW.written_by_id)) THEN
            RAISE EXCEPTION 'a letter is written by who manages privacy, in their own name'
                USING ERRCODE = 'check_violation';
        END IF;
        RETURN NEW;
    END IF;

    IF (NEW.id, NEW.tenant_id, NEW.request_id, NEW.kind, NEW.language, NEW.delivery, NEW.ciphertext, NEW.written_by_id,
        NEW.created_at)
        IS DISTINCT FROM
       (OLD.id, OLD.tenant_id, OLD.request_id, OLD.kind, OLD.language, OLD.delivery, OLD.ciphertext, OLD.written_by_id,
        OLD.created_at) THEN
        RAISE EXCEPTION 'a letter stays as it was written' USING ERRCODE = 'check_violation';
    END IF;
    step := OLD.state || ' to ' || NEW.state;
    IF step IN ('waiting to sending', 'sending to sent', 'sending to waiting', 'sending to failed',
                'sending to uncertain') THEN
        IF NOT is_platform THEN
            RAISE EXCEPTION 'the platform alone sends letters' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF step IN ('failed to waiting', 'uncertain to waiting', 'failed to sent', 'uncertain to sent',
                   'waiting to sent', 'to_post to sent') THEN
        IF NOT manages THEN
            RAISE EXCEPTION 'a letter is settled by who manages privacy' USING ERRCODE = 'check_violation';
        END IF;
    ELSE
        RAISE EXCEPTION 'a letter can''t go from % to %', OLD.state, NEW.state USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER audit_letter_step BEFORE INSERT OR UPDATE OR DELETE ON audit_letter
    FOR EACH ROW EXECUTE FUNCTION audit_letter_step();
CREATE TRIGGER audit_letter_no_truncate BEFORE TRUNCATE ON audit_letter
    FOR EACH STATEMENT EXECUTE FUNCTION audit_letter_step();

-- How far an erasure is, the eraser says; it sees no word of a person, and changes nothing else.
GRANT SELECT (
    id, tenant_id, year, number, state, subject_type, subject_id, received_on, due_on, run_id, proposed_by_id,
    approved_by_id, finished_at, purpose, data_key_id
), UPDATE (state, finished_at) ON audit_erasurerequest TO glassbox_eraser;
GRANT SELECT (tenant_id, request_id, state) ON audit_letter TO glassbox_eraser;
-- What is random can't be compressed; trying would cost time on every write.
ALTER TABLE audit_erasurerequest ALTER COLUMN details SET STORAGE EXTERNAL;
ALTER TABLE audit_letter ALTER COLUMN ciphertext SET STORAGE EXTERNAL;

-- The key of a request that was carried out goes once nothing waits for it: no letter is left to be sent. What it
-- sealed of the person can't be read by anybody then, in rows, backups and WAL alike.
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
GRANT SELECT (tenant_id, id, state, data_key_id, purpose) ON audit_erasurerequest TO glassbox_remover;
GRANT SELECT (tenant_id, request_id, state) ON audit_letter TO glassbox_remover;
CREATE POLICY removal ON audit_erasurerequest AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));
CREATE POLICY removal ON audit_letter AS PERMISSIVE FOR ALL TO glassbox_remover
    USING (tenant_id = (SELECT authz.tenant())) WITH CHECK (tenant_id = (SELECT authz.tenant()));
