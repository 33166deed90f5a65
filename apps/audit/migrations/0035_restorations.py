"""What a restore brought back, what shows that it is gone again, and what is signed of that. See _restoration.py."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _restoration
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0034_made_by_the_server"),
        ("tenants", "0013_links_without_order"),
    ]

    operations = [
        migrations.CreateModel(
            name="Restoration",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("restore_id", models.UUIDField()),
                ("ordinal", models.PositiveIntegerField(default=0)),
                ("backup_id", models.UUIDField(null=True)),
                ("backup_made_at", models.DateTimeField(null=True)),
                ("through", models.BigIntegerField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("removing", "Being removed again"),
                            ("untouched", "Nothing of it came back"),
                            ("awaiting", "Removed again, not proven again"),
                            ("proved", "Removed and proved again"),
                            ("failed", "Removed again; something of it was found on the disk"),
                            ("unproven", "Removed again, and can't be proven again"),
                        ],
                        default="removing",
                        max_length=16,
                    ),
                ),
                ("runs", models.JSONField(default=list)),
                ("came_back", models.JSONField(default=dict)),
                ("targets", models.PositiveIntegerField()),
                (
                    "leaves",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=64), default=list, size=None
                    ),
                ),
                ("manifest", models.CharField(max_length=64)),
                ("error_code", models.CharField(blank=True, default="", max_length=100)),
                ("restored_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("prepared_at", models.DateTimeField(null=True)),
                ("removed_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                ("verification", models.JSONField(default=dict)),
                (
                    "end_events",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
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
                "ordering": ("-restored_at", "-ordinal"),
            },
        ),
        migrations.CreateModel(
            name="Supplement",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("outcome", models.CharField(max_length=24)),
                ("event_id", models.UUIDField()),
                ("leaf_index", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("body", models.JSONField()),
                ("note", models.TextField()),
                ("issued_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "restoration",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="supplements",
                        to="audit.restoration",
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
                "ordering": ("-number",),
            },
        ),
        migrations.AddConstraint(
            model_name="restoration",
            constraint=models.UniqueConstraint(fields=("tenant", "restore_id", "ordinal"), name="restoration_once"),
        ),
        migrations.AddConstraint(
            model_name="restoration",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("state__in", ("removing", "untouched", "awaiting", "proved", "failed", "unproven"))
                ),
                name="restoration_known_words",
            ),
        ),
        migrations.AddConstraint(
            model_name="supplement",
            constraint=models.UniqueConstraint(fields=("tenant", "number"), name="supplement_number_once"),
        ),
        migrations.AddConstraint(
            model_name="supplement",
            constraint=models.UniqueConstraint(fields=("tenant", "event_id"), name="supplement_once_a_statement"),
        ),
        migrations.AddConstraint(
            model_name="supplement",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("leaf_index__gte", 0),
                    ("number__gte", 1),
                    ("size__gt", models.F("leaf_index")),
                    ("outcome__in", ("not_proven", "nothing_came_back", "proved")),
                ),
                name="supplement_of_a_statement",
            ),
        ),
        EnableIsolation(
            "Restoration",
            by=IsolationLevel.TENANT,
            writes=Writes.APPEND,
            # The prover asks whether anything waits: ids and states alone.
            identity_reads="(SELECT authz.identity(4)) = 'all'",
            version=LATEST,
        ),
        EnableIsolation("Supplement", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(sql=_restoration.FORWARD, reverse_sql=_restoration.BACKWARD),
    ]
