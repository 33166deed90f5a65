"""What of a document was corrected, and when documents and jobs last changed, for whoever keeps a copy up to date.

A change is stamped with the moment in which its row is written, by a transaction that may commit much later. So the
transaction first takes a shared advisory lock that names its tenant (by a hash) and those ten seconds, until it ends:
whoever reads what changed finds out which of these are still open (apps/tenants/changes.py), and reads up to the first.

The name of the trigger is the last: what the others judge is what somebody wrote.
"""

from __future__ import annotations

import django.contrib.postgres.fields
import django.db.models.functions.datetime
from django.db import migrations, models

_FORWARD = """
CREATE FUNCTION corpus_note_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
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
CREATE TRIGGER zz_note_change BEFORE INSERT OR UPDATE ON corpus_document
    FOR EACH ROW EXECUTE FUNCTION corpus_note_change('term_count', 'terms_version');
CREATE TRIGGER zz_note_change BEFORE INSERT OR UPDATE ON corpus_ingestjob
    FOR EACH ROW EXECUTE FUNCTION corpus_note_change('lease_owner', 'lease_until');
"""
_BACKWARD = """
DROP TRIGGER zz_note_change ON corpus_ingestjob;
DROP TRIGGER zz_note_change ON corpus_document;
DROP FUNCTION corpus_note_change();
"""


class Migration(migrations.Migration):
    dependencies = (("corpus", "0015_due_without_times"),)

    operations = (
        migrations.AddField(
            model_name="document",
            name="corrected_fields",
            field=django.contrib.postgres.fields.ArrayField(
                base_field=models.CharField(max_length=32), db_default=[], default=list, editable=False, size=None
            ),
        ),
        *(
            migrations.AddField(
                model_name=model,
                name="updated_at",
                field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
            )
            for model in ("document", "ingestjob")
        ),
        migrations.RunSQL(sql=_FORWARD, reverse_sql=_BACKWARD),
    )
