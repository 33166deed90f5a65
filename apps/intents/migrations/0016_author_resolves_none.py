"""An author who may also approve does not resolve what others asked of their version."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0015_notices_by_actor")]

    operations = [RunSqlFile("resolving_own.sql")]
