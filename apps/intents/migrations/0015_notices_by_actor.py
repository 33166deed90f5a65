"""No key tells anybody of what the platform did."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0014_removals_held")]

    operations = [RunSqlFile("notified.sql")]
