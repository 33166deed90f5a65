"""Who proposes to end a scope or the tenant, with documents of every kind."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0013_corrections_held")]

    operations = [RunSqlFile("removing.sql")]
