"""Research goes as far as the profile of the policy lets questions of its intent be researched."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("research", "0001_runs"), ("intents", "0021_rights_as_they_are")]

    operations = [RunSqlFile("modes.sql")]
