"""An account says since when it is active again."""

from __future__ import annotations

from django.db import migrations, models

from apps.tenants.operations import RunSqlFile


class Migration(migrations.Migration):
    dependencies = [("tenants", "0003_account_state")]

    operations = [
        migrations.AddField("User", "opened_again_at", models.DateTimeField(editable=False, null=True)),
        RunSqlFile("opened_again.sql"),
    ]
