"""An event that something acts upon is written with what it tells of, and not alone. See _bindings.py."""

from django.db import migrations

from apps.audit.migrations import _bindings
from apps.audit.recorded_operations import ToldOf


class Migration(migrations.Migration):
    dependencies = [("audit", "0032_removal_of_that_document")]

    operations = [
        migrations.RunSQL(sql=_bindings.MADE_NOW, reverse_sql=_bindings.NOT_MADE_NOW),
        migrations.RunSQL(sql=_bindings.TERMS, reverse_sql=_bindings.NO_TERMS),
        migrations.RunSQL(sql=_bindings.RECORD, reverse_sql=_bindings.NO_RECORD),
        ToldOf("Event", "subject_id", "action"),
        ToldOf("DataKey", "id", "subject_id"),
        ToldOf("RemovalRun", "id", "proposed_at"),
        ToldOf("Verification", "id", "requested_at"),
    ]
