"""Who files documents of a kind is held by the database, by the policy in force."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0006_two_reviewers"), ("corpus", "0002_recognised_pages")]

    operations = [RunSqlFile("uploaders.sql")]
