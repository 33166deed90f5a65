-- A proof is of the rights, the kinds and the rule of two reviewers that its version has, and states what a proof states
-- now: a submission's author must not hand in one of the file's first form, which says nothing of them. Proofs that
-- stand stay as they are.
CREATE FUNCTION intents_proof_of_kinds() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    told constant jsonb := NEW.text::jsonb;
    claimed constant jsonb := coalesce(told #> '{after,content,budgets}', '[]');
    held constant jsonb := coalesce((
        SELECT jsonb_agg(jsonb_build_object(
            'kind', kind, 'retired', retired, 'retention_class', retention_class, 'source_category', source_category,
            'uploaders', uploaders, 'correctors', correctors, 'removers', removers))
          FROM public.intents_kindbudget
         WHERE tenant_id = NEW.tenant_id AND version_id = NEW.version_id), '[]');
    asked constant jsonb := coalesce(told #> '{after,content,two_reviewers_for}', '[]');
    asking constant jsonb := (
        SELECT to_jsonb(two_reviewers_for) FROM public.intents_policyversion
         WHERE tenant_id = NEW.tenant_id AND id = NEW.version_id);
BEGIN
    IF told ->> 'format' IS DISTINCT FROM 'glassbox.policy.proof.v2' THEN
        RAISE EXCEPTION 'a proof is of the form that proofs have now' USING ERRCODE = 'check_violation';
    END IF;
    IF jsonb_array_length(claimed) <> jsonb_array_length(held) OR EXISTS (
        WITH sides AS (
            SELECT side.claims, part.budget ->> 'kind' AS kind, field.name, field.value
              FROM (VALUES (true, claimed), (false, held)) side (claims, budgets),
                   jsonb_array_elements(side.budgets) part (budget),
                   LATERAL (
                       SELECT name, part.budget ->> name
                         FROM unnest('{retired,retention_class,source_category}'::text[]) name
                       UNION ALL
                       SELECT name, jsonb_array_elements_text(coalesce(part.budget -> name, '[]'))
                         FROM unnest('{uploaders,correctors,removers}'::text[]) name
                   ) field (name, value)
        )
        SELECT FROM sides GROUP BY kind, name, value HAVING bool_and(claims) OR NOT bool_or(claims)
    ) THEN
        RAISE EXCEPTION 'a proof is of the kinds that its version has, and of who files them'
            USING ERRCODE = 'check_violation';
    END IF;
    IF NOT (asked <@ asking AND asking <@ asked) THEN
        RAISE EXCEPTION 'a proof is of the rule of two reviewers that its version has' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
-- By its name it comes after intents_proof_written, which holds that the text is JSON.
CREATE TRIGGER intents_proof_written_of_kinds BEFORE INSERT ON intents_policyproof
    FOR EACH ROW EXECUTE FUNCTION intents_proof_of_kinds();
