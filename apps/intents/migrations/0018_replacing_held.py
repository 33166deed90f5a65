"""Who publishes a version over which others, the restricted ones included, held by the database."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0017_absence_in_the_calendar"), ("corpus", "0006_replaced")]

    operations = [RunSqlFile("replacing.sql")]
