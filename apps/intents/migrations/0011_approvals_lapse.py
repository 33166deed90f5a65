"""The first of two approvals lapses with the role of whoever gave it, and people are told."""

from __future__ import annotations

from django.db import migrations, models

from apps.tenants.operations import RunSqlFile

_HAPPENINGS = [
    ("submitted", "Waits for review"),
    ("commented", "Has a new comment"),
    ("first_approved", "Was approved by one of two reviewers"),
    ("approval_lapsed", "Lost its first approval, and waits for another"),
    ("approved", "Was approved for later"),
    ("sent_back", "Was sent back to its author"),
    ("rejected", "Was rejected"),
    ("withdrawn", "Was withdrawn"),
    ("activated", "Is in force"),
    ("reminded", "Still waits for review"),
    ("escalated", "Has waited too long for its review"),
]


class Migration(migrations.Migration):
    dependencies = [("intents", "0010_who_resolves")]

    operations = [
        migrations.AlterField("Notice", "happening", models.CharField(choices=_HAPPENINGS, max_length=16)),
        migrations.RemoveConstraint("Notice", "notice_of_a_known_happening"),
        migrations.AddConstraint(
            "Notice",
            models.CheckConstraint(
                condition=models.Q(("happening__in", [value for value, _ in _HAPPENINGS])),
                name="notice_of_a_known_happening",
            ),
        ),
        RunSqlFile("standing_approvals.sql"),
    ]
