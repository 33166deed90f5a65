"""Whoever approves a version may approve as it becomes approved: by a role that lasts, with an active account.

Reversing it leaves intents_approval_stands as it is: stricter than it was, and of the same arguments.
"""

from __future__ import annotations

from django.db import migrations

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("intents", "0018_replacing_held"), ("tenants", "0003_account_state")]

    operations = [RunSqlFile("approvers.sql")]
