-- Who may write and approve policies, and wrote this version, is its author there: they do not settle what was asked of
-- them, nor does another account in the same hands.
CREATE FUNCTION intents_comment_not_by_author() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF EXISTS (
        SELECT FROM public.intents_reviewcomment asked
          JOIN public.intents_policyversion version
            ON version.tenant_id = asked.tenant_id AND version.id = asked.version_id
         WHERE asked.tenant_id = NEW.tenant_id AND asked.id = NEW.answers_id AND NOT authz.acts_as(asked.author_id)
           AND (authz.acts_as(version.author_id) OR tenants_same_hands(version.author_id))) THEN
        RAISE EXCEPTION 'a comment is resolved by whoever wrote it, or by a reviewer who did not write the version'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_comment_not_by_author BEFORE INSERT ON intents_reviewcomment
    FOR EACH ROW WHEN (NEW.turn = 'resolved') EXECUTE FUNCTION intents_comment_not_by_author();
