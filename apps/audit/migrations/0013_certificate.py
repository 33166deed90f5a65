"""The proof of a run of removals, and certificates. See _certificate.py."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models
from django.db.models import Q

import apps.tenants.models.base
from apps.audit.migrations import _certificate
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, Writes

_STATES = [
    ("proposed", "Waits for approval"),
    ("rejected", "Rejected"),
    ("approved", "Approved"),
    ("executing", "Being carried out"),
    ("verifying", "Removed, being verified"),
    ("completed", "Completed"),
    ("partially_completed", "Completed but for what is held"),
    ("failed", "Failed"),
]
_PROOFS = [
    ("counts", "Counts of every store"),
    ("physical", "Counts, physical phase, residue scan and certificate"),
]


class Migration(migrations.Migration):
    dependencies = [("audit", "0012_tombstones"), ("tenants", "0005_removal")]

    operations = [
        migrations.RemoveConstraint(model_name="removalrun", name="removal_known_words"),
        migrations.AddField(
            model_name="removalrun",
            name="proof",
            field=models.CharField(choices=_PROOFS, default="counts", max_length=16),
        ),
        migrations.AddField(model_name="removalrun", name="prepared_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="removalrun", name="verifying_at", field=models.DateTimeField(null=True)),
        migrations.AddField(model_name="removalrun", name="verification", field=models.JSONField(default=dict)),
        migrations.AddField(
            model_name="removalrun",
            name="end_events",
            field=django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
        ),
        migrations.AlterField(
            model_name="removalrun",
            name="state",
            field=models.CharField(choices=_STATES, default="proposed", max_length=24),
        ),
        migrations.AddConstraint(
            model_name="removalrun",
            constraint=models.CheckConstraint(
                condition=Q(
                    ("origin__in", ("purge", "request")),
                    ("proof__in", ("counts", "physical")),
                    (
                        "state__in",
                        (
                            "proposed",
                            "rejected",
                            "approved",
                            "executing",
                            "verifying",
                            "completed",
                            "partially_completed",
                            "failed",
                        ),
                    ),
                ),
                name="removal_known_words",
            ),
        ),
        migrations.RunSQL(sql=_certificate.RUNS, reverse_sql=_certificate.NO_RUNS),
        migrations.CreateModel(
            name="Certificate",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("origin", models.CharField(max_length=16)),
                ("origin_id", models.UUIDField()),
                ("outcome", models.CharField(max_length=24)),
                ("event_id", models.UUIDField()),
                ("leaf_index", models.BigIntegerField()),
                ("size", models.BigIntegerField()),
                ("root", models.BinaryField()),
                ("body", models.JSONField()),
                ("note", models.TextField()),
                ("issued_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                (
                    "run",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="certificates",
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
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "number"), name="certificate_number_once"),
                    models.UniqueConstraint(fields=("tenant", "event_id"), name="certificate_once_an_end"),
                    models.CheckConstraint(
                        condition=Q(
                            ("leaf_index__gte", 0),
                            ("number__gte", 1),
                            ("size__gt", models.F("leaf_index")),
                            ("outcome__in", ("completed", "partially_completed")),
                        ),
                        name="certificate_of_an_end",
                    ),
                ],
            },
        ),
        EnableIsolation("Certificate", by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST),
        migrations.RunSQL(sql=_certificate.CERTIFICATES, reverse_sql=_certificate.NO_CERTIFICATES),
    ]
