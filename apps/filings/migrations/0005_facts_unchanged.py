"""Facts are never changed, only written and removed: held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("filings", "0004_graph")]

    operations = [RunSqlFile("facts_unchanged.sql")]
