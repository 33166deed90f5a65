"""What rests on an account's state and what changes it take turns."""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("tenants", "0002_access")]

    operations = [RunSqlFile("account_state.sql")]
