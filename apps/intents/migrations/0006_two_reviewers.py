"""Two reviewers, where the version in force asks for them: the rule, and each approval of a revision."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    dependencies = [("intents", "0005_comments_on_cells")]

    operations = [
        migrations.AddField(
            "PolicyVersion",
            "two_reviewers_for",
            ArrayField(
                models.CharField(max_length=16),
                blank=True,
                db_default=[],
                default=list,
                help_text="Which changes of this version take two reviewers; none for one reviewer always.",
                size=None,
            ),
        ),
        migrations.CreateModel(
            "PolicyApproval",
            fields=[
                ("id", ID),
                ("revision", models.PositiveIntegerField()),
                ("against_id", models.UUIDField(editable=False, null=True)),
                ("approver_id", models.UUIDField()),
                ("approver_label", models.CharField(max_length=255)),
                ("note", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="approvals")),
            ],
            options={
                "ordering": ("created_at", "id"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "version", "revision", "against_id", "approver_id"),
                        name="policy_approval_once_a_person",
                    ),
                ],
            },
        ),
        EnableIsolation("PolicyApproval", by=IsolationLevel.TENANT, writes=Writes.APPEND),
        RunSqlFile("reviewers.sql"),
        Stamp("PolicyApproval", created_at="made", approver_label="label"),
    ]
