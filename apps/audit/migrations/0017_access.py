"""Requests for access (Article 15): their packages, what is quoted in these, and who may write which of it."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _access
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_ISOLATED = EnableIsolation("AccessPackage", by=IsolationLevel.SCOPES, writes=Writes.APPEND, version=LATEST)
_QUOTINGS = [("quoted", "Quoted"), ("left_out", "Not quoted: the rights of others (Article 15(4))")]


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0016_in_flight"),
        ("tenants", "0005_removal"),
    ]

    operations = [
        migrations.AddField(
            model_name="erasurerequest",
            name="purpose",
            field=models.CharField(
                choices=[("erasure", "Erasure"), ("access", "Access")], default="erasure", max_length=8
            ),
        ),
        migrations.AddField(model_name="inventoryhit", name="hidden", field=models.BinaryField(null=True)),
        migrations.AddField(
            model_name="inventoryhit",
            name="quoting",
            field=models.CharField(blank=True, choices=_QUOTINGS, default="", max_length=16),
            preserve_default=False,
        ),
        migrations.AddConstraint(
            model_name="erasurerequest",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("purpose", "erasure"),
                    models.Q(
                        ("ground", ""),
                        ("purpose", "access"),
                        ("restricted_at__isnull", True),
                        ("run_id__isnull", True),
                        (
                            "state__in",
                            (
                                "received",
                                "identity_pending",
                                "assessing",
                                "inventory_ready",
                                "completed",
                                "refused",
                                "withdrawn",
                            ),
                        ),
                        ("subject_type", "data_subject"),
                    ),
                    _connector="OR",
                ),
                name="access_request_removes_nothing",
            ),
        ),
        migrations.AddConstraint(
            model_name="inventoryhit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("hidden__isnull", True), ("quoting", "")),
                    models.Q(
                        ("decision", "confirmed"),
                        models.Q(
                            ("quoting", "quoted"),
                            models.Q(("hidden__isnull", True), ("quoting", "left_out")),
                            _connector="OR",
                        ),
                    ),
                    _connector="OR",
                ),
                name="inventory_hit_quoted_if_confirmed",
            ),
        ),
        migrations.CreateModel(
            name="AccessPackage",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "scope_ids",
                    django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list, size=None),
                ),
                ("data_key_id", models.UUIDField()),
                ("ciphertext", models.BinaryField()),
                ("byte_size", models.PositiveIntegerField()),
                ("places", models.PositiveIntegerField()),
                ("quoted", models.PositiveIntegerField()),
                ("hidden", models.PositiveIntegerField()),
                ("made_by_id", models.UUIDField()),
                ("made_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("expires_at", models.DateTimeField()),
                (
                    "request",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="packages",
                        to="audit.erasurerequest",
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
                "ordering": ("-made_at", "-id"),
                "indexes": [models.Index(fields=["tenant", "expires_at"], name="access_package_by_end")],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "request"), name="access_package_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("expires_at__gt", models.F("made_at")),
                            ("hidden__lte", models.F("quoted")),
                            ("quoted__lte", models.F("places")),
                        ),
                        name="access_package_ends",
                    ),
                ],
            },
        ),
        _ISOLATED,
        PoliciesByCommand(
            "AccessPackage",
            read=f"USING ({_access.SCOPES} AND {_access.MANAGES})",
            insert=f"WITH CHECK ({_access.SCOPES} AND {_access.MANAGES})",
            was=_ISOLATED,
        ),
        migrations.RunSQL(sql=_access.FORWARD, reverse_sql=_access.BACKWARD),
        _access.ChangedFunction("audit_request_step()", *_access.IN_LISTS),
        _access.ChangedFunction("audit_inventory_step()", *_access.OF_PLACES),
    ]
