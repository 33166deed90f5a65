"""Inventories of requests for erasure: what was found and what was decided, and who may write which of it."""

import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _inventory
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_ISOLATED = {
    name: EnableIsolation(name, by=level, writes=Writes.KEEP, version=LATEST)
    for name, level in (
        ("Inventory", IsolationLevel.TENANT),
        ("InventoryHit", IsolationLevel.SCOPES),
        ("InventoryTreatment", IsolationLevel.SCOPES),
    )
}


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0014_tenant_end"),
        ("tenants", "0005_removal"),
    ]

    operations = [
        migrations.AddField(
            model_name="erasurerequest",
            name="restricted_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name="Inventory",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting for a worker"),
                            ("running", "Searching"),
                            ("done", "Searched"),
                            ("failed", "Could not be searched"),
                        ],
                        default="waiting",
                        max_length=16,
                    ),
                ),
                ("requested_by_id", models.UUIDField()),
                ("requested_at", models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ("description", models.CharField(max_length=64)),
                ("done", models.PositiveIntegerField(default=0)),
                ("total", models.PositiveIntegerField(default=0)),
                ("counts", models.JSONField(default=dict)),
                ("unreadable", models.PositiveIntegerField(default=0)),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
                ("lease_owner", models.CharField(blank=True, max_length=120)),
                ("lease_until", models.DateTimeField(null=True)),
                ("attempts", models.PositiveIntegerField(default=0)),
                ("next_attempt_at", models.DateTimeField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                (
                    "request",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inventories",
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
                "ordering": ("-requested_at", "-id"),
            },
        ),
        migrations.CreateModel(
            name="InventoryHit",
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
                ("store", models.CharField(max_length=64)),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=32)),
                ("page", models.PositiveIntegerField(null=True)),
                ("target_type", models.CharField(blank=True, max_length=16)),
                ("target_id", models.UUIDField(null=True)),
                ("target_part", models.CharField(blank=True, max_length=16)),
                ("char_start", models.PositiveIntegerField()),
                ("char_end", models.PositiveIntegerField()),
                ("how", models.CharField(max_length=16)),
                ("matched", models.CharField(max_length=16)),
                ("confidence", models.FloatField()),
                ("is_certain", models.BooleanField()),
                (
                    "decision",
                    models.CharField(
                        choices=[("open", "Open"), ("confirmed", "It is the person"), ("cleared", "It stays")],
                        default="open",
                        max_length=16,
                    ),
                ),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("named", "It names the person"),
                            ("identified", "A number or an address of the person"),
                            ("described", "It describes the person, so that they can be told"),
                            ("somebody_else", "Somebody else of that name"),
                            ("no_person", "No person at all: a word like it"),
                            ("17_3_b", "The person; it must stay by law (Article 17(3)(b))"),
                            ("17_3_e", "The person; it must stay for legal claims (Article 17(3)(e))"),
                        ],
                        max_length=16,
                    ),
                ),
                ("words", models.BinaryField(null=True)),
                ("decided_by_id", models.UUIDField(null=True)),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "inventory",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="hits",
                        to="audit.inventory",
                    ),
                ),
                (
                    "request",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inventory_hits",
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
                "ordering": ("store", "item_id", "char_start", "id"),
            },
        ),
        migrations.CreateModel(
            name="InventoryTreatment",
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
                ("document_id", models.UUIDField()),
                (
                    "treatment",
                    models.CharField(
                        choices=[
                            ("remove", "Remove the document"),
                            ("redact", "Redact the passages, and keep the rest"),
                        ],
                        max_length=16,
                    ),
                ),
                ("chosen_by_id", models.UUIDField()),
                ("chosen_at", models.DateTimeField()),
                ("asked_at", models.DateTimeField(null=True)),
                ("redacted_id", models.UUIDField(null=True)),
                ("error_code", models.CharField(blank=True, max_length=100)),
                (
                    "request",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="inventory_treatments",
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
                "ordering": ("document_id",),
            },
        ),
        migrations.AddIndex(
            model_name="inventory",
            index=models.Index(fields=["tenant", "state", "next_attempt_at"], name="inventory_due"),
        ),
        migrations.AddConstraint(
            model_name="inventory",
            constraint=models.UniqueConstraint(
                condition=models.Q(("state__in", ["waiting", "running"])),
                fields=("tenant", "request"),
                name="inventory_one_at_a_time",
            ),
        ),
        migrations.AddIndex(
            model_name="inventoryhit",
            index=models.Index(fields=["tenant", "target_id"], name="inventory_hit_by_target"),
        ),
        migrations.AddConstraint(
            model_name="inventoryhit",
            constraint=models.UniqueConstraint(
                fields=("tenant", "request", "store", "item_id", "part", "char_start", "char_end"),
                name="inventory_hit_once",
            ),
        ),
        migrations.AddConstraint(
            model_name="inventoryhit",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(
                        ("decided_at__isnull", True),
                        ("decided_by_id__isnull", True),
                        ("decision", "open"),
                        ("reason", ""),
                    ),
                    models.Q(
                        models.Q(("decision", "open"), _negated=True),
                        models.Q(("reason", ""), _negated=True),
                        ("decided_at__isnull", False),
                        ("decided_by_id__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="inventory_hit_decided_by_somebody",
            ),
        ),
        migrations.AddConstraint(
            model_name="inventorytreatment",
            constraint=models.UniqueConstraint(
                fields=("tenant", "request", "document_id"), name="inventory_treated_once"
            ),
        ),
        *_ISOLATED.values(),
        PoliciesByCommand(
            "Inventory",
            read=f"USING ({_inventory.TENANT} AND {_inventory.READS})",
            insert=f"WITH CHECK ({_inventory.TENANT} AND {_inventory.MANAGES})",
            update=f"USING ({_inventory.TENANT} AND {_inventory.PLATFORM}) "
            f"WITH CHECK ({_inventory.TENANT} AND {_inventory.PLATFORM})",
            was=_ISOLATED["Inventory"],
        ),
        PoliciesByCommand(
            "InventoryHit",
            read=f"USING ({_inventory.SCOPES} AND {_inventory.READS})",
            insert=f"WITH CHECK ({_inventory.SCOPES} AND {_inventory.PLATFORM})",
            update=f"USING ({_inventory.SCOPES} AND {_inventory.MANAGES}) "
            f"WITH CHECK ({_inventory.SCOPES} AND {_inventory.MANAGES})",
            was=_ISOLATED["InventoryHit"],
        ),
        PoliciesByCommand(
            "InventoryTreatment",
            read=f"USING ({_inventory.SCOPES} AND {_inventory.READS})",
            insert=f"WITH CHECK ({_inventory.SCOPES} AND {_inventory.MANAGES})",
            update=f"USING ({_inventory.SCOPES} AND {_inventory.MANAGES}) "
            f"WITH CHECK ({_inventory.SCOPES} AND {_inventory.MANAGES})",
            was=_ISOLATED["InventoryTreatment"],
        ),
        migrations.RunSQL(sql=_inventory.FORWARD, reverse_sql=_inventory.BACKWARD),
        migrations.RunSQL(sql=_inventory.FORGET, reverse_sql=_inventory.REMEMBER),
    ]
