"""A policy version begins without a past, and in its author's name; when it was decided on is the server's to say.

Changes were guarded, and insertions were not: a draft could be written with a time in which it had been in force.
"""

from django.db import migrations

_FORWARD = """
CREATE FUNCTION intents_version_begins() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp
AS $$
BEGIN
    IF num_nonnulls(NEW.submitted_at, NEW.decided_at, NEW.effective_from, NEW.approver_id, NEW.valid_from, NEW.valid_to) > 0
       OR NEW.approver_label <> '' OR NEW.decision_reason <> '' OR NEW.revision <> 1 THEN
        RAISE EXCEPTION 'a policy version begins without a past' USING ERRCODE = 'check_violation';
    END IF;
    -- The platform writes versions that are nobody's; no role of a tenant holds this permission.
    IF (NEW.author_id IS NULL OR NEW.origin = 'baseline') AND NOT authz.may('glassbox.platform') THEN
        RAISE EXCEPTION 'a policy version is written in its author''s own name' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER intents_version_without_past BEFORE INSERT ON intents_policyversion
    FOR EACH ROW EXECUTE FUNCTION intents_version_begins();
"""
_BACKWARD = """
DROP TRIGGER intents_version_without_past ON intents_policyversion;
DROP FUNCTION intents_version_begins();
"""


class Migration(migrations.Migration):
    dependencies = [("intents", "0011_vectors_of_the_platform"), ("tenants", "0008_server_times")]

    operations = [
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
    ]
