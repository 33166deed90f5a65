"""By which analysis a document's terms were counted; and a passage's length stands in the postings alone.

What was counted before this release was counted by analysis 1; `manage.py corpus reindex` counts it anew.
"""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("corpus", "0008_bound")]

    operations = [
        # A default of the column, not an update: no row is written, and no policy is in its way.
        migrations.AddField(
            "document", "terms_version", models.PositiveSmallIntegerField(default=0, db_default=1, editable=False)
        ),
        migrations.AlterField(
            "document", "terms_version", models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
        ),
        # Nothing read it, and it could not follow a new analysis where a hold keeps the passage's row as it is.
        migrations.RemoveField("chunk", "term_count"),
    ]
