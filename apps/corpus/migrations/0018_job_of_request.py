"""An ingest job names the request that brought it, so that its events do, whichever message has it run."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("corpus", "0017_published_meanwhile"),)

    operations = (
        migrations.AddField(
            model_name="ingestjob",
            name="request_id",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    )
