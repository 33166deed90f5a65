"""Take away the function that held uploads before correcting.sql did, where an earlier release left it: nobody calls it.

A database that has 0007 of that release and not its 0012 has its triggers, too.
"""

from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("intents", "0019_approvers_stand")]

    operations = [
        migrations.RunSQL(
            """
            DROP TRIGGER IF EXISTS intents_kind_held_insert ON corpus_document;
            DROP TRIGGER IF EXISTS intents_kind_held_update ON corpus_document;
            DROP FUNCTION IF EXISTS intents_kind_held();
            """,
            migrations.RunSQL.noop,
        )
    ]
