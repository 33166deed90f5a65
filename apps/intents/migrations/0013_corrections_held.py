"""Who files and who corrects a document of a kind, held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0012_kind_rights"), ("corpus", "0004_writers")]

    operations = [RunSqlFile("correcting.sql")]
