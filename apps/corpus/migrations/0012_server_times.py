"""When a document came, was current and was replaced is the server's to say: retention counts from it.

And a job is done in the name of whoever asked for it: the worker takes the rights of the person whom its row names.
"""

from django.db import migrations

from apps.tenants.server_times import ServerTimes

# A key's token does not say which key it is: what is held is that no person writes as a key, nor a key as a person.
_FORWARD = """
CREATE FUNCTION corpus_job_actor() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        IF (NEW.actor_kind, NEW.actor_id, NEW.actor_key_id, NEW.actor_label)
           IS NOT DISTINCT FROM (OLD.actor_kind, OLD.actor_id, OLD.actor_key_id, OLD.actor_label) THEN
            RETURN NEW;
        END IF;
    END IF;
    IF NOT authz.may('glassbox.platform')
       AND NOT (NEW.actor_kind = 'user' AND NEW.actor_id IS NOT NULL AND authz.acts_as(NEW.actor_id))
       AND NOT (NEW.actor_kind = 'api_key' AND NOT authz.may('key.own')) THEN
        RAISE EXCEPTION 'a job is asked for in one''s own name' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER corpus_job_actor BEFORE INSERT OR UPDATE OF actor_kind, actor_id, actor_key_id, actor_label
    ON corpus_ingestjob FOR EACH ROW EXECUTE FUNCTION corpus_job_actor();
"""
_BACKWARD = """
DROP TRIGGER corpus_job_actor ON corpus_ingestjob;
DROP FUNCTION corpus_job_actor();
"""


class Migration(migrations.Migration):
    dependencies = [("corpus", "0011_restriction_first"), ("tenants", "0008_server_times")]

    operations = [
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
        ServerTimes("Document", begins=("created_at",), within=("valid_from", "valid_to")),
        ServerTimes("IngestJob", begins=("created_at",), notes=("started_at", "finished_at")),
    ]
