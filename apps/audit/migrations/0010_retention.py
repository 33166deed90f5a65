"""Retention schedules with their rules, what is due by them each night, and purges."""

import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _retention
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_TENANT = "tenant_id = (SELECT authz.tenant())"
_MANAGES = f"{_TENANT} AND (SELECT authz.may('privacy.manage'))"
# Nobody counts or purges in another's name; what the clock counts is the platform's.
_INSERTED = {
    "RetentionCount": f"{_TENANT} AND (SELECT authz.may('*'))",
    "Purge": f"{_MANAGES} AND authz.acts_as(created_by_id)",
    "PurgeFigure": _MANAGES,
    "PurgePart": f"{_MANAGES} AND authz.acts_as(proposed_by_id)",
}
_ISOLATED = {
    name: EnableIsolation(name, by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST) for name in _INSERTED
}


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0009_holds"),
        ("tenants", "0004_personal_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="RetentionSchedule",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("draft", "Draft"),
                            ("in_review", "In review"),
                            ("in_force", "In force"),
                            ("superseded", "Superseded"),
                            ("rejected", "Rejected"),
                        ],
                        default="draft",
                        max_length=16,
                    ),
                ),
                (
                    "origin",
                    models.CharField(
                        choices=[("baseline", "Shipped baseline"), ("draft", "Copy of the schedule in force")],
                        default="draft",
                        max_length=16,
                    ),
                ),
                ("reason", models.TextField()),
                ("revision", models.PositiveIntegerField(default=1)),
                ("author_id", models.UUIDField(null=True)),
                ("author_label", models.CharField(blank=True, max_length=255)),
                ("approver_id", models.UUIDField(null=True)),
                ("approver_label", models.CharField(blank=True, max_length=255)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("submitted_at", models.DateTimeField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                ("decision_reason", models.TextField(blank=True)),
                ("valid_from", models.DateTimeField(null=True)),
                ("valid_to", models.DateTimeField(null=True)),
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
                "ordering": ("-number",),
            },
        ),
        migrations.CreateModel(
            name="RetentionRule",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("subject", models.CharField(max_length=140)),
                ("group", models.CharField(blank=True, db_column="field_group", max_length=16)),
                ("legal_basis", models.CharField(max_length=120)),
                ("clock_start", models.CharField(max_length=32)),
                ("keep_months", models.PositiveIntegerField()),
                ("remove_months", models.PositiveIntegerField(null=True)),
                ("includes_current", models.BooleanField(default=False)),
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
                    "schedule",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rules",
                        to="audit.retentionschedule",
                    ),
                ),
            ],
            options={
                "ordering": ("subject", "group"),
            },
        ),
        migrations.CreateModel(
            name="RetentionCount",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("counted_on", models.DateField()),
                ("counted_at", models.DateTimeField(auto_now_add=True)),
                ("may_remove", models.PositiveBigIntegerField()),
                ("must_remove", models.PositiveBigIntegerField()),
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
                    "schedule",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="audit.retentionschedule",
                    ),
                ),
            ],
            options={
                "ordering": ("-counted_at",),
            },
        ),
        migrations.CreateModel(
            name="Purge",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "reach",
                    models.CharField(
                        choices=[("must", "What is past its latest date"), ("may", "All that may be removed by now")],
                        max_length=8,
                    ),
                ),
                ("subject", models.CharField(blank=True, max_length=140)),
                ("reason", models.TextField()),
                ("counted_for", models.DateField()),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("created_by_id", models.UUIDField()),
                ("created_by_label", models.CharField(max_length=255)),
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
                    "schedule",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="purges",
                        to="audit.retentionschedule",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="PurgeFigure",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("position", models.PositiveIntegerField()),
                ("subject", models.CharField(max_length=140)),
                ("group", models.CharField(blank=True, db_column="field_group", max_length=16)),
                ("clock_start", models.CharField(max_length=32)),
                ("months", models.PositiveIntegerField()),
                ("legal_basis", models.CharField(max_length=120)),
                ("count", models.PositiveBigIntegerField()),
                ("oldest", models.DateTimeField()),
                ("newest", models.DateTimeField()),
                ("looked_at", models.PositiveIntegerField()),
                ("kept", models.JSONField(default=dict)),
                ("samples", models.JSONField(default=list)),
                (
                    "purge",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="figures",
                        to="audit.purge",
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
                "ordering": ("purge", "position"),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "purge", "position"), name="purge_figure_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="PurgePart",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("run_id", models.UUIDField(null=True)),
                ("targets", models.PositiveIntegerField()),
                ("kept", models.JSONField(default=dict)),
                ("last_position", models.PositiveIntegerField()),
                ("last_at", models.DateTimeField(null=True)),
                ("last_id", models.UUIDField(null=True)),
                ("is_last", models.BooleanField()),
                ("proposed_at", models.DateTimeField(auto_now_add=True)),
                ("proposed_by_id", models.UUIDField()),
                ("proposed_by_label", models.CharField(max_length=255)),
                (
                    "purge",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="parts",
                        to="audit.purge",
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
                "ordering": ("purge", "number"),
                "constraints": [models.UniqueConstraint(fields=("tenant", "purge", "number"), name="purge_part_once")],
            },
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.UniqueConstraint(fields=("tenant", "number"), name="retention_number_once"),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.UniqueConstraint(
                condition=models.Q(("status", "in_force")), fields=("tenant",), name="retention_one_in_force"
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("author_id__isnull", True),
                    ("approver_id__isnull", True),
                    models.Q(("author_id", models.F("approver_id")), _negated=True),
                    _connector="OR",
                ),
                name="retention_four_eyes",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ("in_force", "superseded")), _negated=True),
                    ("origin", "baseline"),
                    models.Q(("approver_id__isnull", False), ("author_id__isnull", False)),
                    _connector="OR",
                ),
                name="retention_approved_by_someone",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("author_id__isnull", True), ("number", 1), ("origin", "baseline")),
                    models.Q(("author_id__isnull", False), ("origin", "draft")),
                    _connector="OR",
                ),
                name="retention_baseline_is_first",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status__in", ("in_force", "superseded")), ("valid_from__isnull", False)),
                    models.Q(
                        models.Q(("status__in", ("in_force", "superseded")), _negated=True),
                        ("valid_from__isnull", True),
                    ),
                    _connector="OR",
                ),
                name="retention_valid_from_when_in_force",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionschedule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("status", "superseded"), ("valid_to__isnull", False)),
                    models.Q(models.Q(("status", "superseded"), _negated=True), ("valid_to__isnull", True)),
                    _connector="OR",
                ),
                name="retention_valid_to_when_superseded",
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.UniqueConstraint(
                fields=("tenant", "schedule", "subject", "group"), name="retention_rule_once"
            ),
        ),
        migrations.AddConstraint(
            model_name="retentionrule",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("keep_months__lte", 1200),
                    models.Q(
                        ("remove_months__isnull", True),
                        models.Q(("remove_months__gte", models.F("keep_months")), ("remove_months__lte", 1200)),
                        _connector="OR",
                    ),
                ),
                name="retention_rule_in_order",
            ),
        ),
        migrations.AddIndex(
            model_name="retentioncount",
            index=models.Index(fields=["tenant", "-counted_at"], name="retention_count_newest"),
        ),
        EnableIsolation("RetentionSchedule", by=IsolationLevel.TENANT, writes=Writes.ALL, version=LATEST),
        EnableIsolation("RetentionRule", by=IsolationLevel.TENANT, writes=Writes.ALL, version=LATEST),
        *_ISOLATED.values(),
        *(
            PoliciesByCommand(name, read=f"USING ({_TENANT})", insert=f"WITH CHECK ({insert})", was=_ISOLATED[name])
            for name, insert in _INSERTED.items()
        ),
        migrations.RunSQL(sql=_retention.FORWARD, reverse_sql=_retention.BACKWARD),
    ]
