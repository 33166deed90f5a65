"""The index of due jobs has no time: a range of times is searched for, and would visit jobs of restricted documents."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("corpus", "0014_told_of"),)

    operations = (
        migrations.RemoveIndex(model_name="ingestjob", name="job_due"),
        migrations.AddIndex(
            model_name="ingestjob", index=models.Index(fields=["tenant", "scope", "status"], name="job_due")
        ),
    )
