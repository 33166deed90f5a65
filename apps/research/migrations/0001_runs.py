"""Research: runs and their steps, shown to who asked and written by the platform alone."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.tenants.columns import ID, TENANT
from apps.tenants.operations import EnableIsolation, IsolationLevel, PoliciesByCommand, RunSqlFile
from apps.tenants.stamping import Stamp

_TENANT = "tenant_id = (SELECT authz.tenant())"
_SCOPES = f"{_TENANT} AND scope_ids <@ (SELECT authz.scopes())::uuid[]"
_OWN = "owner_id = (SELECT authz.person())"
_PLATFORM = "(SELECT authz.may('glassbox.platform'))"


class Migration(migrations.Migration):
    initial = True

    dependencies = [("tenants", "0002_access"), ("intents", "0017_absence_in_the_calendar")]

    operations = [
        migrations.CreateModel(
            name="ResearchRun",
            fields=[
                ("id", ID),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("owner_id", models.UUIDField()),
                ("owner_key_id", models.UUIDField(null=True)),
                ("event_id", models.UUIDField()),
                (
                    "mode",
                    models.CharField(
                        choices=[
                            ("direct", "Direct"),
                            ("standard", "Standard"),
                            ("detailed", "Detailed"),
                            ("deep_search", "Deep search"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("planned", "Waits for you to start it"),
                            ("queued", "Waiting for a worker"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("stopped", "Stopped"),
                            ("cancelled", "Cancelled"),
                            ("failed", "Failed"),
                        ],
                        default="queued",
                        max_length=16,
                    ),
                ),
                ("intent", models.CharField(blank=True, max_length=63)),
                ("policy_version", models.PositiveIntegerField()),
                ("policy_version_id", models.UUIDField()),
                ("permitted_kinds", ArrayField(models.CharField(max_length=32), default=list)),
                ("withheld", ArrayField(models.CharField(max_length=32), default=list)),
                ("recording_mode", models.CharField(max_length=32)),
                ("rounds_most", models.PositiveSmallIntegerField()),
                ("confidence_wanted", models.PositiveSmallIntegerField()),
                ("searches_most", models.PositiveSmallIntegerField()),
                ("tokens_most", models.PositiveIntegerField()),
                ("seconds_most", models.PositiveIntegerField()),
                ("steps", models.PositiveIntegerField(default=0)),
                ("rounds", models.PositiveSmallIntegerField(default=0)),
                ("searches", models.PositiveSmallIntegerField(default=0)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("spent_ms", models.PositiveBigIntegerField(default=0)),
                ("confidence", models.PositiveSmallIntegerField(default=0)),
                ("stopped_by", models.CharField(blank=True, max_length=40)),
                ("cancel_requested_at", models.DateTimeField(null=True)),
                ("requested_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField()),
                ("data_key_id", models.UUIDField(null=True)),
                ("sealed", models.BinaryField()),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "owner_id"], name="research_run_by_owner"),
                ],
            },
        ),
        migrations.CreateModel(
            name="ResearchStep",
            fields=[
                ("id", ID),
                ("run_id", models.UUIDField()),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("owner_id", models.UUIDField()),
                ("ordinal", models.PositiveIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("analysis", "The question read and planned"),
                            ("search", "A question asked"),
                            ("score", "A round scored"),
                            ("result", "The answer written"),
                            ("ended", "The end"),
                        ],
                        max_length=16,
                    ),
                ),
                ("round", models.PositiveSmallIntegerField(default=0)),
                ("intent", models.CharField(blank=True, max_length=63)),
                ("policy_version", models.PositiveIntegerField()),
                ("policy_version_id", models.UUIDField()),
                ("kinds", ArrayField(models.CharField(max_length=32), default=list)),
                ("narrowed", ArrayField(models.CharField(max_length=40), default=list)),
                ("event_id", models.UUIDField(null=True)),
                ("document_ids", ArrayField(models.UUIDField(), default=list)),
                ("passages", models.JSONField(default=list)),
                ("scores", models.JSONField(default=dict)),
                ("outcome", models.CharField(blank=True, max_length=40)),
                ("tokens", models.PositiveIntegerField(default=0)),
                ("elapsed_ms", models.PositiveIntegerField(default=0)),
                ("data_key_id", models.UUIDField(null=True)),
                ("sealed", models.BinaryField(null=True)),
                ("recorded_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("run_id", "ordinal"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "run_id", "ordinal"), name="research_step_once")
                ],
            },
        ),
        # Research is its owner's. The platform alone writes it: what a person asks for, its services check and write.
        EnableIsolation("ResearchRun", by=IsolationLevel.TENANT),
        PoliciesByCommand(
            "ResearchRun",
            read=f"USING ({_TENANT} AND ({_OWN} OR {_PLATFORM}))",
            insert=f"WITH CHECK ({_TENANT} AND {_PLATFORM})",
            update=f"USING ({_TENANT} AND {_PLATFORM}) WITH CHECK ({_TENANT} AND {_PLATFORM})",
            delete=f"USING ({_TENANT} AND {_PLATFORM})",
        ),
        Stamp("ResearchRun", requested_at="made", cancel_requested_at="once"),
        EnableIsolation("ResearchStep", by=IsolationLevel.SCOPES),
        PoliciesByCommand(
            "ResearchStep",
            read=f"USING ({_SCOPES} AND ({_OWN} OR {_PLATFORM}))",
            insert=f"WITH CHECK ({_SCOPES} AND {_PLATFORM})",
            delete=f"USING ({_SCOPES} AND {_PLATFORM})",
        ),
        Stamp("ResearchStep", recorded_at="made"),
        RunSqlFile("runs.sql"),
    ]
