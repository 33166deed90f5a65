-- Invariants of a policy version, as proof/invariants.py checks them: no version that breaks one leaves the draft.
--
-- What an intent reaches is the same for every role that may ask, so the roles here are all that may (a test compares
-- them with apps/tenants/roles.py), whether or not anybody holds them today.

-- Returns the name of an invariant of the version `whose` that the version breaks, with a counterexample; null if there
-- is none. Of its own it also breaks those whose intents it does not have. An intent of another version that is gone may
-- have been renamed, so a new one counts as the one that is meant.
CREATE FUNCTION intents_broken_invariant(tenant uuid, whose uuid, version uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    asking constant text[] := '{analyst,compliance_officer,reviewer,tenant_admin}';
    its_intents constant varchar[] := ARRAY(
        SELECT name FROM public.intents_policyintent WHERE tenant_id = tenant AND version_id = version);
    their_intents constant varchar[] := ARRAY(
        SELECT name FROM public.intents_policyintent WHERE tenant_id = tenant AND version_id = whose);
    broken text;
BEGIN
    SELECT format('"%s": it speaks of the intent %s, which is not there', rule.name, named) INTO broken
      FROM public.intents_policyinvariant rule, unnest(rule.intents) named
     WHERE whose = version AND rule.tenant_id = tenant AND rule.version_id = version AND named <> ALL (its_intents)
     ORDER BY rule.position LIMIT 1;
    IF FOUND THEN
        RETURN broken;
    END IF;
    SELECT format('"%s": %s reaches %s', rule.name, intent.name, part.kind) INTO broken
      FROM public.intents_policyinvariant rule
      JOIN public.intents_policyintent intent
        ON intent.tenant_id = tenant AND intent.version_id = version
      JOIN public.intents_policyintentkind part
        ON part.tenant_id = tenant AND part.intent_id = intent.id AND part.kind = ANY (rule.kinds)
      JOIN public.intents_kindbudget budget
        ON budget.tenant_id = tenant AND budget.version_id = version AND budget.kind = part.kind
     WHERE rule.tenant_id = tenant AND rule.version_id = whose AND CASE rule.mode
        WHEN 'never' THEN (rule.roles = '{}' OR rule.roles && asking::varchar[])
            AND (rule.intents = '{}' OR intent.name = ANY (rule.intents)
                OR (intent.name <> ALL (their_intents) AND NOT its_intents @> rule.intents))
        -- Any other mode counts as the stricter one.
        ELSE NOT (rule.intents = '{}' OR intent.name = ANY (rule.intents))
            OR (rule.roles <> '{}' AND NOT rule.roles @> asking::varchar[])
        END
     ORDER BY rule.position, intent.position, part.kind LIMIT 1;
    RETURN broken;
END
$$;

-- Returns the version of a tenant that is in force, whether or not that is recorded already (standing.py).
CREATE FUNCTION intents_in_force(tenant uuid) RETURNS uuid
LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT id FROM public.intents_policyversion
     WHERE tenant_id = tenant AND (status = 'active' OR (status = 'approved' AND effective_from <= clock_timestamp()))
     ORDER BY status = 'approved' DESC, effective_from DESC, number DESC LIMIT 1
$$;

CREATE FUNCTION intents_version_keeps_invariants() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    broken text;
BEGIN
    -- The version's row is locked by now, and the parts of a draft are written under a lock of that row. So this sees
    -- all of them, unless the transaction sees what was there when it began.
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'policy version %: this step is taken by a transaction that sees what is committed meanwhile',
            NEW.number USING ERRCODE = 'check_violation';
    END IF;
    broken := public.intents_broken_invariant(NEW.tenant_id, NEW.id, NEW.id);
    IF broken IS NOT NULL THEN
        RAISE EXCEPTION 'policy version % breaks the invariant %', NEW.number, broken
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_keeps_invariants BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status IN ('in_review', 'approved', 'active') AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_version_keeps_invariants();

-- What a version forbids binds each that comes after it and was approved before it ended: an invariant is dropped by one
-- approval, and what it forbade is permitted by the next. A version in review has no time yet, and is held against what
-- is in force.
CREATE FUNCTION intents_version_takes_over() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    in_force constant uuid := public.intents_in_force(NEW.tenant_id);
    other public.intents_policyversion;
    follows boolean;
    broken text;
BEGIN
    FOR other IN SELECT * FROM public.intents_policyversion
        WHERE tenant_id = NEW.tenant_id AND id <> NEW.id AND (id = in_force OR (
            NEW.status = 'approved' AND status = 'approved' AND effective_from > clock_timestamp()))
    LOOP
        follows := other.id <> in_force AND (other.effective_from, other.number) > (NEW.effective_from, NEW.number);
        IF follows THEN
            broken := public.intents_broken_invariant(NEW.tenant_id, NEW.id, other.id);
        ELSE
            broken := public.intents_broken_invariant(NEW.tenant_id, other.id, NEW.id);
        END IF;
        IF broken IS NOT NULL THEN
            RAISE EXCEPTION 'policy version % breaks what version % before it forbids, in the invariant %',
                CASE WHEN follows THEN other.number ELSE NEW.number END,
                CASE WHEN follows THEN NEW.number ELSE other.number END, broken USING ERRCODE = 'check_violation';
        END IF;
    END LOOP;
    IF NEW.status = 'approved' AND NOT EXISTS (
        SELECT FROM public.intents_policyproof
         WHERE tenant_id = NEW.tenant_id AND version_id = NEW.id AND revision = OLD.revision) THEN
        RAISE EXCEPTION 'policy version % is approved by the proof of what it changes, and there is none of revision %',
            NEW.number, OLD.revision USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after intents_version_step, which lets the approvals of a tenant take turns and sets their times.
CREATE TRIGGER intents_version_takes_over BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (NEW.status IN ('in_review', 'approved') AND OLD.status <> NEW.status)
    EXECUTE FUNCTION intents_version_takes_over();

-- Invariants are parts of a version: written by the author of a draft, and by nobody else (parts.sql).
CREATE TRIGGER intents_version_parts_insert AFTER INSERT ON intents_policyinvariant
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_insert();
CREATE TRIGGER intents_version_parts_update AFTER UPDATE ON intents_policyinvariant
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_update();
CREATE TRIGGER intents_version_parts_delete AFTER DELETE ON intents_policyinvariant
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
    WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_version_parts_delete();

-- A proof is of a submission, written by its author in the submission's transaction, and is what its digest says. It is
-- of the change from the version in force to this one, and of what this one permits.
CREATE FUNCTION intents_proof_written() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
    told jsonb;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        RAISE EXCEPTION 'a proof never changes' USING ERRCODE = 'check_violation';
    END IF;
    SELECT * INTO held FROM public.intents_policyversion WHERE tenant_id = NEW.tenant_id AND id = NEW.version_id;
    IF held.status IS DISTINCT FROM 'in_review' OR held.revision <> NEW.revision OR NOT authz.acts_as(held.author_id) THEN
        RAISE EXCEPTION 'a proof is written with the submission that it is of, in the author''s own name'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.sha256 <> encode(sha256(convert_to(NEW.text, 'UTF8')), 'hex') THEN
        RAISE EXCEPTION 'a proof has the digest of its text' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.text IS NOT JSON OBJECT WITH UNIQUE KEYS THEN
        RAISE EXCEPTION 'a proof is JSON' USING ERRCODE = 'check_violation';
    END IF;
    told := NEW.text::jsonb;
    IF told #>> '{after,version_id}' IS DISTINCT FROM NEW.version_id::text
        OR told #>> '{before,version_id}' IS DISTINCT FROM public.intents_in_force(NEW.tenant_id)::text THEN
        RAISE EXCEPTION 'a proof is of the change from the version in force to the version that it is kept with'
            USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (
        WITH permitted AS (
            SELECT intent.name::text, part.kind::text FROM public.intents_policyintent intent
              JOIN public.intents_policyintentkind part
                ON part.tenant_id = intent.tenant_id AND part.intent_id = intent.id
             WHERE intent.tenant_id = NEW.tenant_id AND intent.version_id = NEW.version_id
        ), proven AS (
            SELECT rule ->> 'name', kind
              FROM jsonb_array_elements(told #> '{after,content,intents}') rule, jsonb_array_elements_text(rule -> 'kinds') kind
            UNION ALL
            SELECT 'unrecognised', jsonb_array_elements_text(told #> '{after,content,fallback,kinds}')
        )
        (TABLE permitted EXCEPT TABLE proven) UNION ALL (TABLE proven EXCEPT TABLE permitted)
    ) THEN
        RAISE EXCEPTION 'a proof is of the content that its version has' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_proof_written BEFORE INSERT OR UPDATE ON intents_policyproof
    FOR EACH ROW EXECUTE FUNCTION intents_proof_written();
