"""The effect of policy versions, the tenant's own evaluation questions, and runs of the evaluation harness."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.columns import ID, SCOPE, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp


class Migration(migrations.Migration):
    initial = True

    dependencies = [("corpus", "0001_initial"), ("intents", "0001_initial")]

    operations = [
        migrations.CreateModel(
            "EvaluationQuery",
            fields=[
                ("id", ID),
                ("text", models.CharField(max_length=500)),
                ("series_id", models.UUIDField()),
                ("pages", ArrayField(models.PositiveIntegerField(), blank=True, default=list)),
                ("created_by", models.CharField(max_length=255)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("scope", SCOPE),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("created_at", "id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "text"), name="evaluation_query_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "PolicyImpact",
            fields=[
                ("id", ID),
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
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("error_detail", models.TextField(blank=True)),
                ("result", models.JSONField(default=dict)),
                ("base", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="+")),
                ("tenant", TENANT),
                ("version", TenantForeignKey("intents.policyversion", models.PROTECT, related_name="impacts")),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "state", "next_attempt_at"], name="policy_impact_due"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "version", "revision", "base"), name="policy_impact_once"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "EvaluationRun",
            fields=[
                ("id", ID),
                ("dataset", models.CharField(max_length=200)),
                (
                    "state",
                    models.CharField(
                        choices=[("running", "Running"), ("done", "Done"), ("stopped", "Stopped")],
                        default="running",
                        max_length=16,
                    ),
                ),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(null=True)),
                ("settings", models.JSONField(default=dict)),
                ("changes", models.JSONField(default=dict)),
                ("models_used", models.JSONField(default=dict)),
                ("policy_number", models.PositiveIntegerField()),
                ("policy_sha256", models.CharField(max_length=64)),
                ("corpus_sha256", models.CharField(max_length=64)),
                ("questions_sha256", models.CharField(max_length=64)),
                ("documents", models.PositiveIntegerField()),
                ("chunks", models.PositiveIntegerField()),
                ("failed_documents", models.PositiveIntegerField(default=0)),
                ("questions", models.PositiveIntegerField()),
                ("metrics", models.JSONField(default=dict)),
                ("latency_ms", models.JSONField(default=dict)),
                ("by_stage", models.JSONField(default=dict)),
                ("by_type", models.JSONField(default=dict)),
                ("ablations", models.JSONField(default=dict)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-started_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "-started_at"], name="evaluation_run_newest"),
                ],
            },
        ),
        migrations.CreateModel(
            "EvaluationAnswer",
            fields=[
                ("id", ID),
                ("position", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("type", models.CharField(blank=True, max_length=200)),
                ("expected_answer", models.TextField(blank=True)),
                ("expected", models.JSONField(default=list)),
                ("found", models.JSONField(default=list)),
                ("document_ids", ArrayField(models.UUIDField(), default=list)),
                ("answer", models.TextField(blank=True)),
                ("refusal", models.CharField(blank=True, max_length=50)),
                ("grounding", models.CharField(blank=True, max_length=20)),
                ("passed", models.BooleanField(null=True)),
                ("why", models.CharField(blank=True, max_length=200)),
                ("first_rank", models.PositiveIntegerField(null=True)),
                ("scores", models.JSONField(default=dict)),
                ("elapsed_ms", models.FloatField()),
                ("scope", SCOPE),
                ("tenant", TENANT),
                ("run", TenantForeignKey("retrieval.evaluationrun", models.PROTECT, related_name="answers")),
            ],
            options={
                "ordering": ("position",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "run", "key"), name="evaluation_answer_once"),
                ],
            },
        ),
        EnableIsolation("EvaluationQuery"),
        EnableIsolation("PolicyImpact", by=IsolationLevel.TENANT, writes=Writes.KEEP),
        EnableIsolation("EvaluationRun", by=IsolationLevel.TENANT),
        EnableIsolation("EvaluationAnswer"),
        RunSqlFile("writers.sql"),
        Stamp("EvaluationQuery", created_at="own made"),
        # Which questions a preview looks at, and whose it is, is asked of the log from this time on.
        Stamp("PolicyImpact", requested_at="time"),
        ToldOf("EvaluationQuery", "id", "created_at"),
        ToldOf("PolicyImpact", "version_id", "requested_at"),
    ]
