-- A comment is resolved by whoever wrote it, or by a reviewer: an author does not settle what was asked of them.
CREATE FUNCTION intents_comment_resolved() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    IF NOT authz.may('policy.approve') AND NOT EXISTS (
        SELECT FROM public.intents_reviewcomment answered
         WHERE answered.tenant_id = NEW.tenant_id AND answered.id = NEW.answers_id
           AND authz.acts_as(answered.author_id)) THEN
        RAISE EXCEPTION 'a comment is resolved by whoever wrote it, or by a reviewer'
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_comment_resolved BEFORE INSERT ON intents_reviewcomment
    FOR EACH ROW WHEN (NEW.turn = 'resolved') EXECUTE FUNCTION intents_comment_resolved();
