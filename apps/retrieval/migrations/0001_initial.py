"""The effect of policy versions, and the tenant's own evaluation questions."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("intents", "0002_life"),
        ("tenants", "0003_wall"),
    ]

    operations = [
        migrations.CreateModel(
            name="EvaluationQuery",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("text", models.CharField(max_length=500)),
                ("series_id", models.UUIDField()),
                (
                    "pages",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.PositiveIntegerField(), blank=True, default=list, size=None
                    ),
                ),
                ("created_by", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "scope",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.scope",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "ordering": ("created_at", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "text"), name="evaluation_query_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="PolicyImpact",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("revision", models.PositiveIntegerField()),
                ("content_sha256", models.CharField(max_length=64)),
                ("base_sha256", models.CharField(max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Waiting for a worker"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("requested_at", models.DateTimeField()),
                ("requested_by", models.CharField(max_length=255)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("error_detail", models.TextField(blank=True)),
                ("result", models.JSONField(default=dict)),
                (
                    "base",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="intents.policyversion",
                    ),
                ),
                (
                    "tenant",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
                (
                    "version",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="impacts",
                        to="intents.policyversion",
                    ),
                ),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [models.Index(fields=["tenant", "state", "next_attempt_at"], name="policy_impact_due")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "version", "revision", "base"), name="policy_impact_once")
                ],
            },
        ),
        EnableIsolation("EvaluationQuery", by=IsolationLevel.SCOPE, version=LATEST),
        EnableIsolation("PolicyImpact", by=IsolationLevel.TENANT, writes=Writes.KEEP, version=LATEST),
    ]
