"""A version that an event tells of is kept; and finding the version of a date takes an index."""

from django.db import migrations, models

_KEPT = """
-- Only drafts can be deleted at all (intents_version_step). One that the log speaks of can't be, whoever asks.
CREATE FUNCTION intents_version_kept() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF EXISTS (SELECT FROM public.audit_event WHERE tenant_id = OLD.tenant_id AND subject_id = OLD.id) THEN
        RAISE EXCEPTION 'policy version % is referenced by an event: it is kept; discard the draft instead', OLD.number
            USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN OLD;
END
$$;
CREATE TRIGGER policy_version_kept BEFORE DELETE ON intents_policyversion
    FOR EACH ROW EXECUTE FUNCTION intents_version_kept();
"""

_FORGET = """
DROP TRIGGER policy_version_kept ON intents_policyversion;
DROP FUNCTION intents_version_kept();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial"), ("intents", "0002_life")]

    operations = [
        migrations.RunSQL(sql=_KEPT, reverse_sql=_FORGET),
        migrations.AddIndex(
            model_name="policyversion",
            index=models.Index(fields=["tenant", "-valid_from"], name="policy_version_by_validity"),
        ),
    ]
