"""Ask once a statement whether a version is still a draft."""

from django.db import migrations

from apps.intents.migrations import _parts


class Migration(migrations.Migration):
    dependencies = [("intents", "0003_kept")]

    operations = [migrations.RunSQL(sql=_parts.FORWARD, reverse_sql=_parts.BACKWARD)]
