"""What excepts a removal from the rules on who proposes it is stated once.

Reversing it leaves its functions: they hold the same as those before.
"""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0021_rights_as_they_are"), ("audit", "0003_privacy")]

    operations = [RunSqlFile("removals.sql")]
