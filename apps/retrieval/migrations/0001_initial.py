"""The effect of policy versions, the tenant's own evaluation questions, and runs of the evaluation harness."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.columns import ID, SCOPE, TENANT
from apps.tenants.eraser_operations import ChangeOnlyTargets, EraserRights, named
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

_WHOLE = f"tenant_id {named('tenant')}"


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
        # All of it, and the names on it, are the eraser's only where an executing run covers them. Of a preview it reads
        # ids and figures. Whose they are is said by the log, or by what they name, as the stores ask it
        # (apps/quality/models).
        EraserRights(
            "EvaluationQuery",
            reads=("tenant_id", "scope_id", "id", "series_id", "created_by"),
            deletes=True,
            updates=("created_by",),
        ),
        EraserRights(
            "PolicyImpact",
            reads=("tenant_id", "id", "version_id", "requested_at", "requested_by", "result"),
            deletes=True,
            updates=("requested_by",),
        ),
        EraserRights("EvaluationRun", reads=("tenant_id", "id"), deletes=True),
        EraserRights("EvaluationAnswer", reads=("tenant_id", "scope_id", "id", "document_ids"), deletes=True),
        # A question goes with the last version of its document.
        ChangeOnlyTargets(
            "EvaluationQuery",
            deletes=f"""
                {_WHOLE} OR scope_id {named("scope")}
                OR (series_id IN (SELECT d.series_id FROM corpus_document d
                                   WHERE d.tenant_id = (SELECT authz.tenant()) AND d.id {named("document")})
                    AND NOT EXISTS (SELECT FROM corpus_document other
                                     WHERE other.tenant_id = retrieval_evaluationquery.tenant_id
                                       AND other.series_id = retrieval_evaluationquery.series_id
                                       AND NOT other.id {named("document")}))
            """,  # noqa: S608 (constants)
            empties=f"""
                {_WHOLE}
                OR EXISTS (SELECT FROM audit_event e
                            WHERE e.tenant_id = retrieval_evaluationquery.tenant_id
                              AND e.subject_id = retrieval_evaluationquery.id
                              AND e.action = 'retrieval.evaluation.added'
                              AND e.actor_kind = 'user' AND e.actor_id {named("user")})
            """,  # noqa: S608 (constants)
            leaves="created_by = ''",
        ),
        ChangeOnlyTargets(
            "PolicyImpact",
            deletes=f"""
                {_WHOLE}
                OR EXISTS (SELECT FROM jsonb_path_query(result, 'lax $.**.document_id') AS named (id)
                            WHERE named.id #>> '{{}}' IN (
                                SELECT d.id::text FROM corpus_document d
                                 WHERE d.tenant_id = (SELECT authz.tenant()) AND d.scope_id {named("scope")}
                                UNION ALL SELECT audit_removal_targets('document')::text))
            """,  # noqa: S608 (constants)
            empties=f"""
                {_WHOLE}
                OR (SELECT e.actor_kind = 'user' AND e.actor_id {named("user")} FROM audit_event e
                     WHERE e.tenant_id = retrieval_policyimpact.tenant_id
                       AND e.subject_id = retrieval_policyimpact.version_id
                       AND e.action = 'retrieval.impact.requested'
                       AND e.occurred_at >= retrieval_policyimpact.requested_at
                     ORDER BY e.occurred_at, e.id LIMIT 1)
            """,  # noqa: S608 (constants)
            leaves="requested_by = ''",
        ),
        ChangeOnlyTargets("EvaluationRun", deletes=_WHOLE),
        ChangeOnlyTargets(
            "EvaluationAnswer",
            deletes=f"""
                {_WHOLE} OR scope_id {named("scope")}
                OR EXISTS (SELECT FROM unnest(document_ids) AS held (id) WHERE held.id {named("document")})
            """,
        ),
    ]
