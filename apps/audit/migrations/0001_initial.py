"""The log: events and what they say, sealed; leaves, subtrees and checkpoints; who verifies it and who is told of it."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import migrations, models
from django.db.models.functions import Now

from apps.audit.recorded_operations import ToldOf
from apps.tenants.columns import ID, TENANT
from apps.tenants.models.base import TenantForeignKey
from apps.tenants.operations import EnableIsolation, IsolationLevel, RunSqlFile, Writes
from apps.tenants.stamping import Stamp

# The clock asks which tenants are due, and whoever asks after the platform's health how all of them stand: ids alone.
_ALL = "(SELECT authz.identity(4)) = 'all'"


class Migration(migrations.Migration):
    initial = True

    dependencies = [("tenants", "0002_access")]

    operations = [
        migrations.CreateModel(
            "Event",
            fields=[
                ("id", ID),
                ("scope_ids", ArrayField(models.UUIDField(), default=list)),
                ("action", models.CharField(max_length=100)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("success", "Success"),
                            ("refused", "Refused"),
                            ("degraded", "Degraded"),
                            ("failed", "Failed"),
                        ],
                        max_length=16,
                    ),
                ),
                ("occurred_at", models.DateTimeField()),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.UUIDField(null=True)),
                ("actor_label", models.CharField(max_length=255)),
                ("subject_type", models.CharField(blank=True, max_length=64)),
                ("subject_id", models.UUIDField(null=True)),
                ("tenant", TENANT),
                ("commitments", models.JSONField()),
            ],
            options={
                "ordering": ("-occurred_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "-occurred_at", "-id"], name="event_by_time"),
                    models.Index(fields=["tenant", "action", "-occurred_at"], name="event_by_action"),
                    models.Index(fields=["tenant", "subject_id"], name="event_by_subject"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id", "scope_ids"), name="event_in_its_scopes"),
                ],
            },
        ),
        migrations.CreateModel(
            "DataKey",
            fields=[
                ("id", ID),
                ("epoch", models.CharField(max_length=16)),
                ("subject_id", models.UUIDField(null=True)),
                ("kek_id", models.CharField(max_length=32)),
                ("wrapped_key", models.BinaryField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "epoch", "subject_id"), name="data_key_once", nulls_distinct=False
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Payload",
            fields=[
                ("id", ID),
                ("event_id", models.UUIDField()),
                ("scope_ids", ArrayField(models.UUIDField())),
                ("group", models.CharField(db_column="field_group", max_length=16)),
                ("ciphertext", models.BinaryField()),
                ("terms", ArrayField(models.CharField(max_length=200), default=list)),
                ("data_key", TenantForeignKey("audit.datakey", models.PROTECT, related_name="+")),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "event_id", "group"), name="payload_group_once"),
                ],
            },
        ),
        migrations.CreateModel(
            "Unsealed",
            fields=[
                ("event_id", models.UUIDField(primary_key=True, serialize=False)),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            "Leaf",
            fields=[
                ("event_id", models.UUIDField(primary_key=True, serialize=False)),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
                ("sealed_at", models.DateTimeField(db_default=Now())),
                (
                    "tenant",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=models.PROTECT,
                        related_name="+",
                        to="tenants.tenant",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "index"), name="leaf_in_its_place"),
                    models.CheckConstraint(condition=models.Q(("index__gte", 0)), name="leaf_counts_from_zero"),
                ],
            },
        ),
        migrations.CreateModel(
            "Subtree",
            fields=[
                ("id", ID),
                ("level", models.PositiveSmallIntegerField()),
                ("index", models.BigIntegerField()),
                ("hash", models.BinaryField()),
                ("tenant", TENANT),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "level", "index"), name="subtree_in_its_place"),
                    models.CheckConstraint(
                        condition=models.Q(("index__gte", 0), ("level__gte", 1)), name="subtree_is_above_the_leaves"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Checkpoint",
            fields=[
                ("id", ID),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("note", models.TextField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-size",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "size"), name="checkpoint_once_a_size"),
                    models.CheckConstraint(condition=models.Q(("size__gte", 1)), name="checkpoint_of_a_leaf_at_least"),
                ],
            },
        ),
        migrations.CreateModel(
            "Attestation",
            fields=[
                ("id", ID),
                ("size", models.BigIntegerField()),
                (
                    "kind",
                    models.CharField(
                        choices=[("cosignature", "Cosignature of a witness"), ("timestamp", "Time stamp (RFC 3161)")],
                        max_length=16,
                    ),
                ),
                ("by", models.CharField(max_length=400)),
                ("content", models.TextField()),
                ("told_at", models.DateTimeField()),
                ("created_at", models.DateTimeField(db_default=Now())),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-size", "kind", "by"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "size", "kind", "by"), name="attestation_once_each"),
                ],
            },
        ),
        migrations.CreateModel(
            "Verification",
            fields=[
                ("id", ID),
                ("started_by", models.UUIDField(null=True)),
                ("night", models.DateField(null=True)),
                ("requested_at", models.DateTimeField(db_default=Now())),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Running"),
                            ("intact", "Intact"),
                            ("findings", "Findings"),
                            ("failed", "Could not be verified"),
                        ],
                        default="waiting",
                        max_length=16,
                    ),
                ),
                ("done", models.BigIntegerField(default=0)),
                ("total", models.BigIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("duration_ms", models.BigIntegerField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("checkpoint_size", models.BigIntegerField(null=True)),
                ("events", models.BigIntegerField(default=0)),
                ("leaves", models.BigIntegerField(default=0)),
                ("groups", models.BigIntegerField(default=0)),
                ("finding_count", models.BigIntegerField(default=0)),
                ("findings", models.JSONField(default=dict)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                ("tenant", TENANT),
                ("covered_size", models.BigIntegerField(null=True)),
                ("note", models.TextField(blank=True, db_default="")),
            ],
            options={
                "ordering": ("-requested_at", "-id"),
                "indexes": [
                    models.Index(fields=["tenant", "-requested_at", "-id"], name="verification_by_time"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["waiting", "running"])),
                        fields=("tenant",),
                        name="verification_one_at_a_time",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("night__isnull", True), ("started_by__isnull", False)),
                            models.Q(("night__isnull", False), ("started_by__isnull", True)),
                            _connector="OR",
                        ),
                        name="verification_by_one_or_the_clock",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("finished_at__isnull", True), ("state__in", ["waiting", "running"])),
                            models.Q(
                                ("error_code", ""),
                                ("finding_count", 0),
                                ("finished_at__isnull", False),
                                ("state", "intact"),
                            ),
                            models.Q(
                                ("error_code", ""),
                                ("finding_count__gt", 0),
                                ("finished_at__isnull", False),
                                ("state", "findings"),
                            ),
                            models.Q(
                                ("finding_count", 0),
                                ("finished_at__isnull", False),
                                ("state", "failed"),
                                models.Q(("error_code", ""), _negated=True),
                            ),
                            _connector="OR",
                        ),
                        name="verification_says_one_thing",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "Webhook",
            fields=[
                ("id", ID),
                ("url", models.TextField()),
                ("actions", ArrayField(models.CharField(max_length=100))),
                ("scope_ids", ArrayField(models.UUIDField())),
                ("sealed", models.BinaryField()),
                ("previous_until", models.DateTimeField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("paused_at", models.DateTimeField(null=True)),
                (
                    "pause_reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("person", "Somebody paused it"),
                            ("failing", "It failed for three days"),
                            ("gone", "It answered that it is gone (410)"),
                        ],
                        max_length=16,
                    ),
                ),
                ("cursor", models.BigIntegerField(default=0)),
                ("failures", models.PositiveIntegerField(default=0)),
                ("failing_since", models.DateTimeField(null=True)),
                ("delivered_at", models.DateTimeField(null=True)),
                ("given_up_at", models.DateTimeField(null=True)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_until", models.DateTimeField(null=True)),
                ("data_key", TenantForeignKey("audit.datakey", models.PROTECT, related_name="+")),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-created_at", "-id"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "id", "scope_ids"), name="webhook_in_its_scopes"),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("pause_reason", ""), ("paused_at__isnull", True)),
                            models.Q(("pause_reason__in", ["person", "failing", "gone"]), ("paused_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="webhook_paused_for_a_reason",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("url__startswith", "https://")), name="webhook_by_https"
                    ),
                    models.CheckConstraint(condition=models.Q(("cursor__gte", 0)), name="webhook_cursor_in_the_log"),
                ],
            },
        ),
        migrations.CreateModel(
            "WebhookDelivery",
            fields=[
                ("id", ID),
                ("webhook_id", models.UUIDField()),
                ("scope_ids", ArrayField(models.UUIDField())),
                ("event_id", models.UUIDField()),
                ("event_scope_ids", ArrayField(models.UUIDField())),
                ("place", models.BigIntegerField(null=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("given_up", "Given up")],
                        default="waiting",
                        max_length=16,
                    ),
                ),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("earlier", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("-event_id",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state", "waiting")),
                        fields=["tenant", "webhook_id", "scope_ids", "place"],
                        name="webhook_delivery_waiting",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "webhook_id", "event_id"), name="webhook_delivery_once"),
                    models.UniqueConstraint(
                        fields=("tenant", "id", "scope_ids"), name="webhook_delivery_in_its_scopes"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("state", "waiting")),
                            models.Q(("ended_at__isnull", False), ("state__in", ["delivered", "given_up"])),
                            _connector="OR",
                        ),
                        name="webhook_delivery_waits_or_ended",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("event_scope_ids__contained_by", models.F("scope_ids"))),
                        name="webhook_delivery_within_scopes",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            "WebhookAttempt",
            fields=[
                ("id", ID),
                ("delivery_id", models.UUIDField()),
                ("scope_ids", ArrayField(models.UUIDField())),
                ("number", models.PositiveIntegerField()),
                ("began_at", models.DateTimeField(db_default=Now(), editable=False)),
                ("duration_ms", models.PositiveIntegerField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=32)),
                ("tenant", TENANT),
            ],
            options={
                "ordering": ("number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "delivery_id", "number"), name="webhook_attempt_once"),
                ],
            },
        ),
        RunSqlFile("keys.sql"),
        EnableIsolation("DataKey", by=IsolationLevel.TENANT, writes=Writes.APPEND),
        # audit_record alone writes them (sql/recording.sql).
        EnableIsolation("Event", by=IsolationLevel.SCOPES, writes=Writes.NONE),
        EnableIsolation("Payload", by=IsolationLevel.SCOPES, writes=Writes.NONE),
        EnableIsolation("Unsealed", by=IsolationLevel.TENANT, writes=Writes.NONE, identity_reads=_ALL),
        # The worker's to write, who signs (sql/log.sql).
        EnableIsolation("Leaf", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("Subtree", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("Checkpoint", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("Attestation", by=IsolationLevel.TENANT, writes=Writes.NONE),
        EnableIsolation("Verification", by=IsolationLevel.TENANT, writes=Writes.APPEND, identity_reads=_ALL),
        EnableIsolation("Webhook", by=IsolationLevel.SCOPES, writes=Writes.APPEND, identity_reads=_ALL),
        EnableIsolation("WebhookDelivery", by=IsolationLevel.SCOPES, writes=Writes.APPEND),
        EnableIsolation("WebhookAttempt", by=IsolationLevel.SCOPES, writes=Writes.APPEND),
        RunSqlFile("log.sql"),
        RunSqlFile("recording.sql"),
        RunSqlFile("erasing.sql"),
        RunSqlFile("verifications.sql"),
        RunSqlFile("webhooks.sql"),
        Stamp("DataKey", created_at="made"),
        Stamp("Checkpoint", created_at="made"),
        Stamp("Attestation", created_at="made"),
        Stamp("Verification", requested_at="made", finished_at="time"),
        Stamp(
            "Webhook",
            created_at="made",
            paused_at="time",
            failing_since="time",
            delivered_at="time",
            given_up_at="time",
            previous_until="from",
        ),
        Stamp("WebhookDelivery", created_at="made", ended_at="time"),
        Stamp("WebhookAttempt", began_at="made"),
        ToldOf("Event", "subject_id", "action"),
        ToldOf("DataKey", "id", "subject_id"),
        ToldOf("Verification", "id", "requested_at"),
    ]
