"""Invariants of a policy version, and the proof of what a submission would change."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    dependencies = [("intents", "0001_initial")]

    operations = [
        migrations.CreateModel(
            "PolicyInvariant",
            fields=[
                ("id", ID),
                ("position", models.PositiveSmallIntegerField()),
                ("name", models.CharField(help_text="What the firm calls it, in its own words.", max_length=200)),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("never", "These questions never reach these kinds"),
                            ("only", "Only these questions reach these kinds"),
                        ],
                        max_length=8,
                    ),
                ),
                ("roles", ArrayField(models.CharField(max_length=32), help_text="Empty: every role.")),
                (
                    "intents",
                    ArrayField(models.CharField(max_length=40), help_text="Short names; empty: every intent."),
                ),
                ("kinds", ArrayField(models.CharField(max_length=32))),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.CASCADE, related_name="invariants")),
            ],
            options={
                "ordering": ("version", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version", "name"), name="policy_invariant_name_once"),
                    models.CheckConstraint(
                        condition=models.Q(("mode__in", ["never", "only"])), name="policy_invariant_known_mode"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "PolicyProof",
            fields=[
                ("id", ID),
                ("revision", models.PositiveIntegerField()),
                ("text", models.TextField()),
                ("sha256", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="proofs")),
            ],
            options={
                "ordering": ("version", "revision"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "version", "revision"), name="policy_proof_once_a_submission"
                    ),
                ],
            },
        ),
        EnableIsolation("PolicyInvariant", by=IsolationLevel.TENANT),
        EnableIsolation("PolicyProof", by=IsolationLevel.TENANT, writes=Writes.APPEND),
        RunSqlFile("invariants.sql"),
        Stamp("PolicyProof", created_at="made"),
    ]
