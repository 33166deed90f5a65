"""A copy in another scope keeps when the firm received its document, and of an earlier version when it was replaced."""

from __future__ import annotations

from django.db import migrations, models

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("corpus", "0006_replaced")]

    operations = [
        migrations.AddField("Document", "moved_from_id", models.UUIDField(editable=False, null=True)),
        migrations.AddField("Document", "first_received_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("Document", "replaced_there_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddConstraint(
            "Document",
            models.CheckConstraint(
                condition=models.Q(("first_received_at__isnull", True), ("moved_from_id__isnull", True))
                | models.Q(("first_received_at__isnull", False), ("moved_from_id__isnull", False)),
                name="document_moved_since",
            ),
        ),
        migrations.AddConstraint(
            "Document",
            models.CheckConstraint(
                condition=models.Q(("replaced_there_at__isnull", True))
                | (models.Q(("moved_from_id__isnull", False)) & ~models.Q(("status", "ready"))),
                name="document_replaced_is_not_current",
            ),
        ),
        RunSqlFile("moved.sql"),
    ]
