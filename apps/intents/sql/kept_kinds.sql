-- A kind that documents name is never left out of a policy: its documents would be reached by nothing, and named by no
-- rule. apps/intents/services/successor.py says it in words first.
--
-- Whoever decides on a policy need not see every scope, and restricted documents are in nobody's view. So the question is
-- put to glassbox_surveyor's function, which answers with the keys of kinds, and with no number, scope or document. It
-- is asked after the lock, and sees what was committed until then.

CREATE FUNCTION intents_documented_kinds() RETURNS SETOF varchar
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT (authz.may('policy.view') OR authz.may('glassbox.platform')) THEN
        RAISE EXCEPTION 'which kinds have documents is told to whoever may read the policy'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN QUERY SELECT DISTINCT document.kind FROM public.corpus_document document
                  WHERE document.tenant_id = (SELECT authz.tenant());
END
$$;
REVOKE ALL ON FUNCTION intents_documented_kinds() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION intents_documented_kinds() TO glassbox_api, glassbox_worker;
GRANT SELECT (tenant_id, kind) ON corpus_document TO glassbox_surveyor;

-- Steps of versions and filings of documents take turns: each sees what the other has done, or is seen by it.
CREATE FUNCTION intents_version_keeps_kinds() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    dropped varchar;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'policy version %: this step is taken by a transaction that sees what is committed meanwhile',
            NEW.number USING ERRCODE = 'check_violation';
    END IF;
    PERFORM pg_advisory_xact_lock(hashtext('kinds of documents'), hashtext(NEW.tenant_id::text));
    SELECT used INTO dropped FROM public.intents_documented_kinds() used
     WHERE NOT EXISTS (
           SELECT FROM public.intents_kindbudget budget
            WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = NEW.id AND budget.kind = used)
     ORDER BY used LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'policy version % leaves out the kind %, and there are documents of it', NEW.number, dropped
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- Not as it is recorded that an approved version came into force: it did so at its time, and nothing was filed against it
-- since its approval.
CREATE TRIGGER intents_version_keeps_kinds BEFORE UPDATE OF status ON intents_policyversion
    FOR EACH ROW WHEN (OLD.status <> NEW.status
        AND (NEW.status IN ('in_review', 'approved') OR (NEW.status = 'active' AND OLD.status <> 'approved')))
    EXECUTE FUNCTION intents_version_keeps_kinds();

-- Once a version is approved that leaves a kind out, nothing more is filed as such, by the platform neither. What no
-- version in force has ever known is not held here: there is no rule for it.
CREATE FUNCTION intents_document_keeps_kinds() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force uuid;
    without integer;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'a document is written by a transaction that sees which policy is approved meanwhile'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    PERFORM pg_advisory_xact_lock_shared(hashtext('kinds of documents'), hashtext(NEW.tenant_id::text));
    in_force := public.intents_in_force(NEW.tenant_id);
    SELECT version.number INTO without
      FROM public.intents_policyversion version
     WHERE version.tenant_id = NEW.tenant_id
       AND (version.status = 'approved' OR version.id = in_force AND EXISTS (
           SELECT FROM public.intents_kindbudget known
             JOIN public.intents_policyversion earlier
               ON earlier.tenant_id = known.tenant_id AND earlier.id = known.version_id
            WHERE known.tenant_id = NEW.tenant_id AND known.kind = NEW.kind AND earlier.status = 'superseded'))
       AND NOT EXISTS (
           SELECT FROM public.intents_kindbudget budget
            WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = version.id AND budget.kind = NEW.kind)
     ORDER BY version.number LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'policy version %, which is approved, leaves out the kind %: nothing more is filed as such',
            without, NEW.kind USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_document_keeps_kinds_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION intents_document_keeps_kinds();
CREATE TRIGGER intents_document_keeps_kinds_update BEFORE UPDATE ON corpus_document
    FOR EACH ROW WHEN (NEW.kind IS DISTINCT FROM OLD.kind) EXECUTE FUNCTION intents_document_keeps_kinds();
