"""Runs of the evaluation harness, and their answers; what glassbox_eraser may do to them."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.eraser_operations import ChangeOnlyTargets, EraserRights, named
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel

_WHOLE = f"tenant_id {named('tenant')}"


class Migration(migrations.Migration):
    dependencies = [
        ("retrieval", "0003_bound"),
        ("tenants", "0005_removal"),
    ]

    operations = [
        migrations.CreateModel(
            name="EvaluationRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
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
                "ordering": ("-started_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="EvaluationAnswer",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("key", models.CharField(max_length=200)),
                ("text", models.TextField()),
                ("type", models.CharField(blank=True, max_length=200)),
                ("expected_answer", models.TextField(blank=True)),
                ("expected", models.JSONField(default=list)),
                ("found", models.JSONField(default=list)),
                (
                    "document_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("answer", models.TextField(blank=True)),
                ("refusal", models.CharField(blank=True, max_length=50)),
                ("grounding", models.CharField(blank=True, max_length=20)),
                ("passed", models.BooleanField(null=True)),
                ("why", models.CharField(blank=True, max_length=200)),
                ("first_rank", models.PositiveIntegerField(null=True)),
                ("scores", models.JSONField(default=dict)),
                ("elapsed_ms", models.FloatField()),
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
                (
                    "run",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="answers",
                        to="retrieval.evaluationrun",
                    ),
                ),
            ],
            options={
                "ordering": ("position",),
            },
        ),
        migrations.AddIndex(
            model_name="evaluationrun",
            index=models.Index(fields=["tenant", "-started_at"], name="evaluation_run_newest"),
        ),
        migrations.AddConstraint(
            model_name="evaluationanswer",
            constraint=models.UniqueConstraint(fields=("tenant", "scope", "run", "key"), name="evaluation_answer_once"),
        ),
        EnableIsolation("EvaluationRun", by=IsolationLevel.TENANT, version=LATEST),
        EnableIsolation("EvaluationAnswer", by=IsolationLevel.SCOPE, version=LATEST),
        EraserRights("EvaluationRun", reads=("tenant_id", "id"), deletes=True),
        EraserRights("EvaluationAnswer", reads=("tenant_id", "scope_id", "id", "document_ids"), deletes=True),
        ChangeOnlyTargets("EvaluationRun", deletes=_WHOLE),
        ChangeOnlyTargets(
            "EvaluationAnswer",
            deletes=f"""
                {_WHOLE} OR scope_id {named("scope")}
                OR EXISTS (SELECT FROM unnest(document_ids) AS held (id) WHERE held.id {named("document")})
            """,
        ),
    ]
