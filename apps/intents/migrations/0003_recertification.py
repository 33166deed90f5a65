"""Recertifications: each grant of a selection is confirmed or ended by its owner, by a date."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, SCOPE, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

_ROLES = [
    ("compliance_officer", "Compliance officer"),
    ("reviewer", "Reviewer"),
    ("dpo", "Data protection officer"),
    ("analyst", "Analyst"),
    ("auditor", "Auditor"),
    ("tenant_admin", "Tenant administrator"),
]


class Migration(migrations.Migration):
    dependencies = [
        ("intents", "0002_proofs"),
        ("tenants", "0002_access"),
    ]

    operations = [
        migrations.CreateModel(
            name="Recertification",
            fields=[
                ("id", ID),
                (
                    "roles",
                    ArrayField(base_field=models.CharField(choices=_ROLES, max_length=32), default=list, size=None),
                ),
                ("scope_ids", ArrayField(base_field=models.UUIDField(), default=list, size=None)),
                ("owner_ids", ArrayField(base_field=models.UUIDField(), size=None)),
                ("grant_count", models.PositiveIntegerField()),
                ("due_at", models.DateTimeField()),
                ("started_by_id", models.UUIDField(editable=False)),
                ("started_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("reminded_at", models.DateTimeField(editable=False, null=True)),
                ("closed_by_id", models.UUIDField(editable=False, null=True)),
                ("closed_at", models.DateTimeField(editable=False, null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-started_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="CertifiedGrant",
            fields=[
                ("id", ID),
                ("grant_id", models.UUIDField()),
                ("role", models.CharField(choices=_ROLES, max_length=32)),
                ("holder_id", models.UUIDField(null=True)),
                ("api_key_id", models.UUIDField(null=True)),
                ("owner_id", models.UUIDField()),
                (
                    "decision",
                    models.CharField(
                        blank=True,
                        choices=[("", "Waits for its owner"), ("confirmed", "Confirmed"), ("ended", "Ended")],
                        default="",
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField(blank=True)),
                ("decided_by_id", models.UUIDField(editable=False, null=True)),
                ("decided_at", models.DateTimeField(editable=False, null=True)),
                ("scope", SCOPE),
                ("tenant", TENANT),
                ("recertification", TenantForeignKey("intents.recertification", models.PROTECT, related_name="grants")),
            ],
            options={
                "ordering": ("recertification", "id"),
            },
        ),
        migrations.AddConstraint(
            model_name="recertification",
            constraint=models.CheckConstraint(
                condition=models.Q(("closed_at__isnull", True), ("closed_by_id__isnull", False), _connector="OR"),
                name="recertification_closed_by_somebody",
            ),
        ),
        migrations.AddIndex(
            model_name="certifiedgrant",
            index=models.Index(fields=["tenant", "scope", "owner_id", "decision"], name="certified_grant_by_owner"),
        ),
        migrations.AddConstraint(
            model_name="certifiedgrant",
            constraint=models.UniqueConstraint(
                fields=("tenant", "scope", "recertification", "grant_id"), name="certified_grant_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="certifiedgrant",
            constraint=models.CheckConstraint(
                condition=models.Q(("decision__in", ["", "confirmed", "ended"])), name="certified_grant_known_decision"
            ),
        ),
        migrations.AddConstraint(
            model_name="certifiedgrant",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("decided_at__isnull", True), ("decided_by_id__isnull", True), ("decision", "")),
                    models.Q(
                        models.Q(("decision", ""), _negated=True),
                        ("decided_at__isnull", False),
                        ("decided_by_id__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="certified_grant_decided_by_somebody",
            ),
        ),
        EnableIsolation("Recertification", by=IsolationLevel.TENANT, writes=Writes.KEEP),
        EnableIsolation("CertifiedGrant", by=IsolationLevel.SCOPE, writes=Writes.KEEP),
        Stamp("Recertification", started_at="own made", reminded_at="own time", closed_at="own once"),
        Stamp("CertifiedGrant", decided_at="own once"),
        RunSqlFile("recertification.sql"),
    ]
