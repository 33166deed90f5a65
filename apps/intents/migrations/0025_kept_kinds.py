"""A kind that documents name stays in the policy, held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0021_rights_as_they_are"), ("corpus", "0007_moved_copies")]

    operations = [RunSqlFile("kept_kinds.sql")]
