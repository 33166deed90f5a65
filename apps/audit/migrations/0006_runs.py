"""Runs of removals: who may take which step, what is frozen, and what the eraser may delete. See _runs.py."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _runs
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0005_who_authorises"),
        ("tenants", "0004_personal_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="RemovalRun",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "origin",
                    models.CharField(choices=[("purge", "Purge"), ("request", "Erasure request")], max_length=16),
                ),
                ("origin_id", models.UUIDField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("proposed", "Waits for approval"),
                            ("rejected", "Rejected"),
                            ("approved", "Approved"),
                            ("executing", "Being carried out"),
                            ("completed", "Completed"),
                            ("partially_completed", "Completed but for what is held"),
                            ("failed", "Failed"),
                        ],
                        default="proposed",
                        max_length=24,
                    ),
                ),
                ("reason_code", models.CharField(max_length=32)),
                ("made_in", models.CharField(default="", editable=False, max_length=24)),
                ("frozen_at", models.DateTimeField(null=True)),
                ("proposed_by", models.UUIDField()),
                ("proposed_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("approved_by", models.UUIDField(null=True)),
                ("approved_at", models.DateTimeField(null=True)),
                ("rejected_by", models.UUIDField(null=True)),
                ("rejected_at", models.DateTimeField(null=True)),
                ("rejection_code", models.CharField(blank=True, max_length=32)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=127)),
                ("lease_until", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
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
                "ordering": ("-proposed_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="RemovalStep",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("store", models.CharField(max_length=100)),
                ("ordinal", models.PositiveIntegerField()),
                ("before", models.PositiveBigIntegerField()),
                ("removed", models.PositiveBigIntegerField(default=0)),
                ("retained", models.PositiveBigIntegerField(default=0)),
                ("remaining", models.PositiveBigIntegerField()),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                (
                    "run",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="steps",
                        to="audit.removalrun",
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
                "ordering": ("ordinal",),
            },
        ),
        migrations.CreateModel(
            name="RemovalTarget",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "type",
                    models.CharField(
                        choices=[
                            ("document", "Document"),
                            ("event_group", "Part of an event"),
                            ("user", "Person"),
                            ("scope", "Scope"),
                            ("tenant", "Tenant"),
                        ],
                        max_length=16,
                    ),
                ),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=16)),
                (
                    "outcome",
                    models.CharField(
                        choices=[("pending", "To be removed"), ("removed", "Removed"), ("retained", "Retained")],
                        default="pending",
                        max_length=16,
                    ),
                ),
                ("ground", models.CharField(blank=True, max_length=100)),
                ("authorised_by", models.UUIDField(null=True)),
                (
                    "run",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="targets",
                        to="audit.removalrun",
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
                "ordering": ("type", "item_id", "part"),
            },
        ),
        migrations.AddIndex(
            model_name="removalrun",
            index=models.Index(fields=["tenant", "origin", "origin_id"], name="removal_by_origin"),
        ),
        migrations.AddIndex(
            model_name="removalrun",
            index=models.Index(
                condition=models.Q(("state__in", ("approved", "executing", "failed"))),
                fields=["tenant", "next_attempt_at"],
                name="removal_due",
            ),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("approved_by__isnull", True),
                    models.Q(("approved_by", models.F("proposed_by")), _negated=True),
                    _connector="OR",
                ),
                name="removal_approved_by_another",
            ),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ("proposed", "rejected")),
                    models.Q(
                        ("approved_at__isnull", False), ("approved_by__isnull", False), ("frozen_at__isnull", False)
                    ),
                    _connector="OR",
                ),
                name="removal_approved_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("origin__in", ("purge", "request")),
                    (
                        "state__in",
                        ("proposed", "rejected", "approved", "executing", "completed", "partially_completed", "failed"),
                    ),
                ),
                name="removal_known_words",
            ),
        ),
        migrations.AddConstraint(
            model_name="removalstep",
            constraint=models.UniqueConstraint(fields=("tenant", "run", "store"), name="removal_step_once"),
        ),
        migrations.AddConstraint(
            model_name="removalstep",
            constraint=models.CheckConstraint(
                condition=models.Q(("finished_at__isnull", True), ("remaining", 0), _connector="OR"),
                name="removal_step_ends_at_zero",
            ),
        ),
        migrations.AddIndex(
            model_name="removaltarget",
            index=models.Index(fields=["tenant", "type", "item_id"], name="removal_target_by_item"),
        ),
        migrations.AddConstraint(
            model_name="removaltarget",
            constraint=models.UniqueConstraint(
                fields=("tenant", "run", "type", "item_id", "part"), name="removal_target_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="removaltarget",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("type__in", ("document", "event_group", "user", "scope", "tenant")),
                    models.Q(
                        models.Q(("type", "event_group"), models.Q(("part", ""), _negated=True)),
                        models.Q(models.Q(("type", "event_group"), _negated=True), ("part", "")),
                        _connector="OR",
                    ),
                ),
                name="removal_target_of_a_kind",
            ),
        ),
        migrations.AddConstraint(
            model_name="removaltarget",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ground", ""), ("outcome__in", ("pending", "removed"))),
                    models.Q(("outcome", "retained"), models.Q(("ground", ""), _negated=True)),
                    _connector="OR",
                ),
                name="removal_target_retained_on_a_ground",
            ),
        ),
        EnableIsolation(
            "RemovalRun",
            by=IsolationLevel.TENANT,
            writes=Writes.KEEP,
            # The eraser asks which tenants have a run to carry out: ids and codes alone.
            identity_reads="(SELECT authz.identity(4)) = 'all'",
            version=LATEST,
        ),
        EnableIsolation("RemovalTarget", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        EnableIsolation("RemovalStep", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(sql=_runs.STEPS, reverse_sql=_runs.NO_STEPS),
        migrations.RunSQL(sql=_runs.RIGHTS, reverse_sql=_runs.NO_RIGHTS),
    ]
