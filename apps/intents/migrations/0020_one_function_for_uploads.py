"""Take away the function that held uploads before correcting.sql did, where an earlier release left it: nobody calls it."""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("intents", "0019_approvers_stand")]

    operations = [migrations.RunSQL("DROP FUNCTION IF EXISTS intents_kind_held()", migrations.RunSQL.noop)]
