-- What the database holds of a comment on a policy version: who may speak, of which revision, and how the cell stood.

-- How a cell of a version stands, as apps/intents/cells.py tells it (a test compares the two). Without a kind, the whole
-- row of an intent; without an intent, the kind's cap and priority.
CREATE FUNCTION intents_cell_stands(tenant uuid, version uuid, intent_name text, kind_key text) RETURNS text
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    budget public.intents_kindbudget;
    intent uuid;
    reached text;
BEGIN
    IF kind_key <> '' THEN
        SELECT * INTO budget FROM public.intents_kindbudget
         WHERE tenant_id = tenant AND version_id = version AND kind = kind_key;
        IF NOT FOUND THEN
            RETURN 'absent';
        END IF;
        IF intent_name = '' THEN
            RETURN budget.cap_chars || '/' || budget.position;
        END IF;
    END IF;
    IF intent_name = '' THEN
        RETURN '';
    END IF;
    SELECT id INTO intent FROM public.intents_policyintent
     WHERE tenant_id = tenant AND version_id = version AND name = intent_name;
    IF NOT FOUND THEN
        RETURN 'absent';
    END IF;
    IF kind_key = '' THEN
        SELECT string_agg(kind, ',' ORDER BY kind COLLATE "C") INTO reached FROM public.intents_policyintentkind
         WHERE tenant_id = tenant AND intent_id = intent;
        RETURN coalesce(reached, 'nothing');
    END IF;
    RETURN CASE WHEN EXISTS (SELECT FROM public.intents_policyintentkind
         WHERE tenant_id = tenant AND intent_id = intent AND kind = kind_key) THEN 'permitted' ELSE 'withheld' END;
END
$$;

-- A comment is of the revision that stands there, and says how its cell stood then: the database writes both. Nobody
-- changes or removes one; only an approved erasure does, and the end of a tenant.
CREATE FUNCTION intents_comment_written() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    held public.intents_policyversion;
    answered public.intents_reviewcomment;
BEGIN
    SELECT * INTO held FROM public.intents_policyversion
     WHERE tenant_id = NEW.tenant_id AND id = NEW.version_id FOR SHARE;
    NEW.revision := held.revision;
    IF NEW.answers_id IS NOT NULL THEN
        SELECT * INTO answered FROM public.intents_reviewcomment
         WHERE tenant_id = NEW.tenant_id AND id = NEW.answers_id;
        IF answered.version_id IS DISTINCT FROM NEW.version_id OR answered.answers_id IS NOT NULL THEN
            RAISE EXCEPTION 'an answer is to a comment on the same version, and not to another answer'
                USING ERRCODE = 'check_violation';
        END IF;
    END IF;
    NEW.stood := public.intents_cell_stands(NEW.tenant_id, NEW.version_id, NEW.about_intent, NEW.about_kind);
    IF NEW.stood = 'absent' AND public.intents_cell_stands(
        NEW.tenant_id, public.intents_in_force(NEW.tenant_id), NEW.about_intent, NEW.about_kind) = 'absent' THEN
        RAISE EXCEPTION 'there is no such cell in policy version %', held.number USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_comment_written BEFORE INSERT ON intents_reviewcomment
    FOR EACH ROW EXECUTE FUNCTION intents_comment_written();

CREATE FUNCTION intents_comment_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF to_jsonb(NEW) - 'author_label' IS DISTINCT FROM to_jsonb(OLD) - 'author_label' THEN
        RAISE EXCEPTION 'a comment never changes' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_comment_kept BEFORE UPDATE ON intents_reviewcomment
    FOR EACH ROW EXECUTE FUNCTION intents_comment_kept();

-- The keys of the new column, as EnableIsolation makes them. Adding one reads the table, which FORCE lets nobody do
-- without an open scope.
ALTER TABLE intents_reviewcomment NO FORCE ROW LEVEL SECURITY;
CREATE INDEX intents_reviewcomment_answers_id_ix ON intents_reviewcomment (tenant_id, answers_id);
ALTER TABLE intents_reviewcomment ADD CONSTRAINT intents_reviewcomment_answers_id_fk
    FOREIGN KEY (tenant_id, answers_id) REFERENCES intents_reviewcomment (tenant_id, id) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE intents_reviewcomment FORCE ROW LEVEL SECURITY;
