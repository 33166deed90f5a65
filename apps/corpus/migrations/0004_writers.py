"""Who writes a document that is not published yet, and its job, and who takes away what it holds."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("corpus", "0003_contents_by_job")]

    operations = [RunSqlFile("writers.sql")]
