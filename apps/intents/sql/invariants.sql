-- Invariants of a policy version, as proof/invariants.py checks them: no version that breaks one leaves the draft.
--
-- What an intent reaches is the same for every role that may ask, so the roles here are all that may (a test compares
-- them with apps/tenants/roles.py), whether or not anybody holds them today.

-- Returns the name of an invariant that the version breaks, or whose intents it does not have, with a counterexample;
-- null if there is none.
CREATE FUNCTION intents_broken_invariant(tenant uuid, version uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    asking constant text[] := '{analyst,compliance_officer,reviewer,tenant_admin}';
    broken text;
BEGIN
    SELECT format('"%s": it speaks of the intent %s, which is not there', rule.name, named) INTO broken
      FROM public.intents_policyinvariant rule, unnest(rule.intents) named
     WHERE rule.tenant_id = tenant AND rule.version_id = version AND NOT EXISTS (
        SELECT FROM public.intents_policyintent intent
         WHERE intent.tenant_id = tenant AND intent.version_id = version AND intent.name = named)
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
     WHERE rule.tenant_id = tenant AND rule.version_id = version AND CASE rule.mode
        WHEN 'never' THEN (rule.intents = '{}' OR intent.name = ANY (rule.intents))
            AND (rule.roles = '{}' OR rule.roles && asking::varchar[])
        -- Any other mode counts as the stricter one.
        ELSE NOT (rule.intents = '{}' OR intent.name = ANY (rule.intents))
            OR (rule.roles <> '{}' AND NOT rule.roles @> asking::varchar[])
        END
     ORDER BY rule.position, intent.position, part.kind LIMIT 1;
    RETURN broken;
END
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
    broken := public.intents_broken_invariant(NEW.tenant_id, NEW.id);
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

-- Invariants are parts of a version: written by the author of a draft, and by nobody else (parts.sql).
CREATE TRIGGER intents_version_parts_insert AFTER INSERT ON intents_policyinvariant
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_insert();
CREATE TRIGGER intents_version_parts_update AFTER UPDATE ON intents_policyinvariant
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION intents_version_parts_update();
CREATE TRIGGER intents_version_parts_delete AFTER DELETE ON intents_policyinvariant
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT
    WHEN (CURRENT_USER <> 'glassbox_remover') EXECUTE FUNCTION intents_version_parts_delete();

-- A proof is of a submission, written by its author in the submission's transaction, and is what its digest says.
CREATE FUNCTION intents_proof_written() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
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
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_proof_written BEFORE INSERT OR UPDATE ON intents_policyproof
    FOR EACH ROW EXECUTE FUNCTION intents_proof_written();
