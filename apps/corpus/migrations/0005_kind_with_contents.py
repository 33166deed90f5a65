"""The kind of a document changes with all that was read of it: held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("corpus", "0004_writers")]

    operations = [RunSqlFile("kind_with_contents.sql")]
