"""Notices within the product, each for one person alone."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile
from apps.tenants.stamping import Stamp

_HAPPENINGS = [
    ("submitted", "Waits for review"),
    ("commented", "Has a new comment"),
    ("first_approved", "Was approved by one of two reviewers"),
    ("approved", "Was approved for later"),
    ("sent_back", "Was sent back to its author"),
    ("rejected", "Was rejected"),
    ("withdrawn", "Was withdrawn"),
    ("activated", "Is in force"),
    ("reminded", "Still waits for review"),
    ("escalated", "Has waited too long for its review"),
]
_TENANT = "tenant_id = (SELECT authz.tenant())"
_OWN = f"{_TENANT} AND receiver_id = (SELECT authz.person())"


class Migration(migrations.Migration):
    dependencies = [("intents", "0007_kind_uploaders")]

    operations = [
        migrations.CreateModel(
            "Notice",
            fields=[
                ("id", ID),
                ("receiver_id", models.UUIDField()),
                ("event_id", models.UUIDField()),
                ("happening", models.CharField(choices=_HAPPENINGS, max_length=16)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("read_at", models.DateTimeField(editable=False, null=True)),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="notices")),
            ],
            options={
                "ordering": ("-created_at", "-id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "receiver_id", "event_id"), name="notice_once_a_person"),
                    models.CheckConstraint(
                        condition=models.Q(("happening__in", [value for value, _ in _HAPPENINGS])),
                        name="notice_of_a_known_happening",
                    ),
                ],
            },
        ),
        EnableIsolation("Notice", by=IsolationLevel.TENANT),
        # Whoever acts writes it and can't read it; its receiver reads it, and the eraser finds what it removes.
        PoliciesByCommand(
            "Notice",
            read=f"USING ({_TENANT} AND (receiver_id = (SELECT authz.person()) OR CURRENT_USER = 'glassbox_eraser'))",
            insert=f"WITH CHECK ({_TENANT})",
            update=f"USING ({_OWN}) WITH CHECK ({_OWN})",
            updatable=("read_at",),
        ),
        Stamp("Notice", created_at="made", read_at="once"),
        RunSqlFile("notices.sql"),
    ]
