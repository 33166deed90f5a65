-- When documents and jobs last changed, for whoever keeps a copy up to date.
--
-- A change is stamped with the moment in which its row is written, by a transaction that may commit much later. So the
-- transaction first takes a shared advisory lock that names its tenant (by a hash) and those ten seconds, until it
-- ends: whoever reads what changed finds out which of these are still open (apps/tenants/changes.py), and reads up to
-- the first.

-- Arguments: the columns that change without the row counting as changed.
CREATE FUNCTION corpus_note_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        NEW.updated_at := OLD.updated_at;
        IF to_jsonb(NEW) - TG_ARGV IS NOT DISTINCT FROM to_jsonb(OLD) - TG_ARGV THEN
            RETURN NEW;
        END IF;
    END IF;
    PERFORM pg_advisory_xact_lock_shared(
        hashtext('changes of ' || NEW.tenant_id), floor(extract(epoch FROM clock_timestamp()) / 10)::int
    );
    NEW.updated_at := clock_timestamp();
    RETURN NEW;
END
$$;
-- The name of the trigger is the last: what the others judge is what somebody wrote.
CREATE TRIGGER zz_note_change BEFORE INSERT OR UPDATE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_note_change('term_count', 'terms_version');
CREATE TRIGGER zz_note_change BEFORE INSERT OR UPDATE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_note_change('lease_owner', 'lease_until');
