"""Endpoints that are told of events, what was sent to each, and what the database holds of both (_webhooks.py)."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _webhooks
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes
from apps.tenants.stamping import Stamp

_ALL = "(SELECT authz.identity(4)) = 'all'"


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0038_supplements_stamped"),
        ("tenants", "0023_invitation_chain"),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("url", models.TextField()),
                (
                    "actions",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=100), size=None),
                ),
                ("scope_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("sealed", models.BinaryField()),
                ("previous_until", models.DateTimeField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
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
                (
                    "data_key",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.datakey",
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
            name="WebhookAttempt",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("delivery_id", models.UUIDField()),
                ("scope_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("number", models.PositiveIntegerField()),
                (
                    "began_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                ("duration_ms", models.PositiveIntegerField(null=True)),
                ("status", models.PositiveSmallIntegerField(null=True)),
                ("error", models.CharField(blank=True, max_length=32)),
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
                "ordering": ("number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "delivery_id", "number"), name="webhook_attempt_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="WebhookDelivery",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("webhook_id", models.UUIDField()),
                ("scope_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None)),
                ("event_id", models.UUIDField()),
                (
                    "event_scope_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), size=None),
                ),
                ("place", models.BigIntegerField(null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
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
        # The clock asks which tenants have endpoints, and whoever asks after the platform's health how they stand.
        EnableIsolation("Webhook", by=IsolationLevel.SCOPES, writes=Writes.APPEND, identity_reads=_ALL, version=LATEST),
        EnableIsolation("WebhookDelivery", by=IsolationLevel.SCOPES, writes=Writes.APPEND, version=LATEST),
        EnableIsolation("WebhookAttempt", by=IsolationLevel.SCOPES, writes=Writes.APPEND, version=LATEST),
        _webhooks.GuardWebhooks(),
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
    ]
