"""A kind that documents name stays in the policy, held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0024_proof_of_kinds"), ("corpus", "0008_bounds_of_writers")]

    operations = [RunSqlFile("kept_kinds.sql")]
