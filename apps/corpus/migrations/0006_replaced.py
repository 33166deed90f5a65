"""Restricted versions are asked about, too, when a next one replaces them: by a function that nobody reads them by."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile

_HIDDEN = "id <> ALL ((SELECT hidden_documents())::uuid[])"


class Migration(migrations.Migration):
    dependencies = [("corpus", "0005_kind_with_contents")]

    operations = [
        # RunSqlFile undoes what it makes, and not what it changes.
        migrations.RunSQL(
            migrations.RunSQL.noop,
            f"ALTER POLICY hidden_by_restriction ON corpus_document USING ({_HIDDEN}) WITH CHECK ({_HIDDEN})",
        ),
        RunSqlFile("replaced.sql"),
    ]
