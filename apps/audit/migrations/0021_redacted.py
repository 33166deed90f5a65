"""Runs say which documents stay in a redacted version. What an earlier release proposed does not: null."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0020_carried"),
    ]

    operations = [
        migrations.AddField(
            model_name="removalrun",
            name="redacted",
            field=models.JSONField(null=True),
        ),
    ]
