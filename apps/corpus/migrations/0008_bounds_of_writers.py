"""A job writes of its own document alone, a correction keeps when its file was received, and an id names one document.

And nothing is moved from or to a scope that a request for erasure is about. Reversing it leaves corpus_contents_by_job
as it is, which needs corpus_is_job: stricter than it was.
"""

from __future__ import annotations

from django.db import migrations, models

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("corpus", "0007_moved_copies"), ("audit", "0003_privacy")]

    operations = [
        migrations.RemoveConstraint("Document", "document_moved_since"),
        migrations.AddConstraint(
            "Document",
            models.CheckConstraint(
                condition=models.Q(("moved_from_id__isnull", True)) | models.Q(("first_received_at__isnull", False)),
                name="document_moved_since",
            ),
        ),
        RunSqlFile("received_first.sql"),
        RunSqlFile("contents_of_job.sql"),
        RunSqlFile("one_document.sql"),
        RunSqlFile("moving.sql"),
    ]
