"""The inventory names the documents whose file could not be taken apart: what it holds was not searched."""

from __future__ import annotations

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("audit", "0030_schedule_of_the_code"),)

    operations = (
        migrations.AddField(
            model_name="inventory",
            name="unread_files",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
    )
