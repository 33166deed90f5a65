"""Who resolves a comment: its writer, or a reviewer."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0009_absences")]

    operations = [RunSqlFile("resolving.sql")]
