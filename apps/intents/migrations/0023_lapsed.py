"""An approval that lapsed with its giver's account stays lapsed once the account is opened again.

Reversing it leaves intents_approval_stands as it is, which needs the column of tenants 0004: stricter than it was.
"""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0022_removals"), ("tenants", "0004_opened_again")]

    operations = [RunSqlFile("lapsed.sql")]
