"""Facts are derived by the job that reads the file, and written by nobody else: held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("filings", "0002_facts_of_scanned_pages"), ("corpus", "0003_contents_by_job")]

    operations = [RunSqlFile("facts_by_job.sql")]
