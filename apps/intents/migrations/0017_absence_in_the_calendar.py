"""An absence ends within the calendar that every page can show."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("intents", "0016_author_resolves_none")]

    operations = [
        migrations.AddConstraint(
            "Absence",
            models.CheckConstraint(
                condition=models.Q(("ends_at__lte", datetime.max.replace(tzinfo=UTC))),
                name="absence_ends_in_the_calendar",
            ),
        ),
    ]
