"""Runs are found by what they come from, a key: by kind alone, an index would count other tenants' for EXPLAIN."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("audit", "0036_packages_without_times")]

    operations = [
        migrations.RemoveIndex(model_name="removalrun", name="removal_by_origin"),
        migrations.AddIndex(
            model_name="removalrun", index=models.Index(fields=["tenant", "origin_id"], name="removal_by_origin")
        ),
    ]
