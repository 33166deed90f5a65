-- Who replaces which documents, by the policy in force: the same as correcting.sql has it, of all earlier versions, where
-- that asks about those that its caller sees. A restricted version is in nobody's view, and is replaced like another.
--
-- A trigger that runs with the rights of glassbox_remover: nobody calls it, and nobody learns from it more than that it
-- refuses. It is the same refusal where nothing is there that could be replaced.
--
-- Asked as a version comes into a series, and again when its job publishes it: who may replace a kind may have changed
-- since. By then the versions that it replaces have ended, and not before it begins. Those that are still to be read, or
-- failed, it replaces as they are published: nobody is asked then.
CREATE FUNCTION intents_replaced_held() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    in_force constant uuid := public.intents_in_force(NEW.tenant_id);
    kinds varchar[];
    doings text[];
BEGIN
    IF authz.may('glassbox.platform') THEN
        RETURN NEW;
    END IF;
    SELECT array_agg(earlier.kind),
           array_remove(ARRAY[
               CASE WHEN bool_or(earlier.content_sha256 = NEW.content_sha256) THEN 'correct' END,
               CASE WHEN bool_or((earlier.content_sha256, earlier.filename) = (NEW.content_sha256, NEW.filename))
                    IS NOT TRUE THEN 'file' END], NULL)
      INTO kinds, doings
      FROM public.corpus_document earlier
     WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
       AND earlier.series_id = NEW.series_id AND earlier.id <> NEW.id
       AND CASE WHEN TG_OP = 'INSERT' THEN earlier.status <> 'superseded'
                ELSE earlier.version < NEW.version
                     AND (earlier.status <> 'superseded' OR earlier.valid_to >= NEW.valid_from) END;
    IF TG_OP = 'INSERT' AND NEW.version > 1 AND NOT EXISTS (
        SELECT FROM public.corpus_document earlier
         WHERE earlier.tenant_id = NEW.tenant_id AND earlier.scope_id = NEW.scope_id
           AND earlier.series_id = NEW.series_id
    ) OR kinds IS NOT NULL AND EXISTS (
        SELECT FROM public.intents_kindbudget budget, unnest(doings) doing,
               unnest(ARRAY[CASE WHEN doing = 'correct' AND budget.correctors <> '{}' THEN budget.correctors::text
                                 ELSE budget.uploaders::text END]) roles
         WHERE budget.tenant_id = NEW.tenant_id AND budget.version_id = in_force
           AND budget.kind = ANY (kinds || NEW.kind) AND roles <> '{}'
           AND NOT EXISTS (SELECT FROM unnest(roles::text[]) role WHERE authz.may('role:' || role))
    ) THEN
        RAISE EXCEPTION 'there is no document that it is the next version of, and that it may replace'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END
$$;
REVOKE ALL ON FUNCTION intents_replaced_held() FROM PUBLIC;
GRANT SELECT (tenant_id, id, status, effective_from, number) ON intents_policyversion TO glassbox_remover;
GRANT SELECT (tenant_id, version_id, kind, uploaders, correctors) ON intents_kindbudget TO glassbox_remover;

-- By its name it comes after intents_correction_held_insert: after the lock by which versions of a series take turns,
-- and after what says more of the versions that the caller sees.
CREATE TRIGGER intents_replaced_held_insert BEFORE INSERT ON corpus_document
    FOR EACH ROW WHEN (CURRENT_USER IN ('glassbox_api', 'glassbox_worker')) EXECUTE FUNCTION intents_replaced_held();
CREATE TRIGGER intents_replaced_held_publish BEFORE UPDATE OF status ON corpus_document
    FOR EACH ROW WHEN (CURRENT_USER IN ('glassbox_api', 'glassbox_worker')
        AND NEW.status = 'ready' AND OLD.status <> 'ready')
    EXECUTE FUNCTION intents_replaced_held();
