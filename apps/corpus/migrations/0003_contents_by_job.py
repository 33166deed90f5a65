"""What an unpublished document holds is written by the job that reads its file: held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("corpus", "0002_recognised_pages")]

    operations = [RunSqlFile("contents.sql")]
