"""Legal holds and restrictions: their tables, who may write them, and what the database refuses because of them."""

import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.audit.migrations import _holds
from apps.tenants.operations import LATEST, EnableIsolation, IsolationLevel, PoliciesByCommand, Writes

_ISOLATED = {
    name: EnableIsolation(name, by=IsolationLevel.TENANT, writes=Writes.APPEND, version=LATEST)
    for name in ("LegalHold", "HeldItem", "Restriction")
}


class Migration(migrations.Migration):
    dependencies = [
        ("audit", "0008_verification"),
        ("tenants", "0004_personal_keys"),
    ]

    operations = [
        migrations.CreateModel(
            name="LegalHold",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("matter", models.CharField(max_length=200)),
                ("ground", models.TextField()),
                ("owner_id", models.UUIDField(help_text="The member who answers for it.")),
                ("review_on", models.DateField()),
                ("placed_by", models.UUIDField(editable=False)),
                ("placed_by_label", models.CharField(editable=False, max_length=255)),
                ("placed_at", models.DateTimeField(auto_now_add=True)),
                ("released_by", models.UUIDField(editable=False, null=True)),
                ("released_by_label", models.CharField(blank=True, editable=False, max_length=255)),
                ("released_at", models.DateTimeField(editable=False, null=True)),
                ("release_reason", models.TextField(blank=True, editable=False)),
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
                "ordering": ("review_on", "id"),
            },
        ),
        migrations.CreateModel(
            name="HeldItem",
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
                        choices=[("document", "Document"), ("event_group", "Part of an event")], max_length=16
                    ),
                ),
                ("item_id", models.UUIDField()),
                ("part", models.CharField(blank=True, max_length=16)),
                ("added_by", models.UUIDField(editable=False)),
                ("added_at", models.DateTimeField(auto_now_add=True)),
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
                    "hold",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="items",
                        to="audit.legalhold",
                    ),
                ),
            ],
            options={
                "ordering": ("id",),
            },
        ),
        migrations.CreateModel(
            name="Restriction",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("scope_id", models.UUIDField()),
                ("document_id", models.UUIDField()),
                (
                    "because",
                    models.CharField(
                        choices=[("hold", "Legal hold"), ("request", "Request for erasure")], max_length=16
                    ),
                ),
                ("because_id", models.UUIDField()),
                ("restricted_at", models.DateTimeField(auto_now_add=True)),
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
                "ordering": ("id",),
            },
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("release_reason", ""), ("released_at__isnull", True), ("released_by__isnull", True)),
                    models.Q(
                        ("released_at__isnull", False),
                        ("released_by__isnull", False),
                        models.Q(("release_reason", ""), _negated=True),
                    ),
                    _connector="OR",
                ),
                name="hold_released_by_somebody_for_a_reason",
            ),
        ),
        migrations.AddConstraint(
            model_name="legalhold",
            constraint=models.CheckConstraint(
                condition=models.Q(models.Q(("matter", ""), _negated=True), models.Q(("ground", ""), _negated=True)),
                name="hold_says_why",
            ),
        ),
        migrations.AddIndex(
            model_name="helditem",
            index=models.Index(fields=["tenant", "type", "item_id", "part"], name="held_by_item"),
        ),
        migrations.AddConstraint(
            model_name="helditem",
            constraint=models.UniqueConstraint(
                fields=("tenant", "hold", "type", "item_id", "part"), name="held_once_by_a_hold"
            ),
        ),
        migrations.AddConstraint(
            model_name="helditem",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("part", ""), ("type", "document")),
                    models.Q(("type", "event_group"), models.Q(("part", ""), _negated=True)),
                    _connector="OR",
                ),
                name="held_part_of_an_event_alone",
            ),
        ),
        migrations.AddIndex(
            model_name="restriction",
            index=models.Index(fields=["tenant", "because", "because_id"], name="restriction_by_reason"),
        ),
        migrations.AddConstraint(
            model_name="restriction",
            constraint=models.UniqueConstraint(
                fields=("tenant", "scope_id", "document_id", "because", "because_id"),
                name="restricted_once_for_a_reason",
            ),
        ),
        *_ISOLATED.values(),
        # In one's own name; of an open one the review date moves, and one's own release ends it. Never removed.
        PoliciesByCommand(
            "LegalHold",
            read=_holds.READ,
            insert=f"WITH CHECK ({_holds.TENANT} AND {_holds.MANAGES} AND authz.acts_as(placed_by) "
            "AND released_at IS NULL)",
            update=f"USING ({_holds.TENANT} AND {_holds.MANAGES} AND released_at IS NULL) "
            f"WITH CHECK ({_holds.TENANT} AND {_holds.MANAGES} AND (released_at IS NULL OR authz.acts_as(released_by)))",
            updatable=("review_on", "released_by", "released_by_label", "released_at", "release_reason"),
            was=_ISOLATED["LegalHold"],
        ),
        PoliciesByCommand(
            "HeldItem",
            read=_holds.READ,
            insert=f"WITH CHECK ({_holds.TENANT} AND {_holds.MANAGES} AND authz.acts_as(added_by) "
            f"AND {_holds.OPEN_HOLD})",
            was=_ISOLATED["HeldItem"],
        ),
        PoliciesByCommand(
            "Restriction",
            read=_holds.READ,
            insert=f"WITH CHECK ({_holds.TENANT} AND {_holds.DECIDES})",
            delete=f"USING ({_holds.TENANT} AND {_holds.DECIDES} AND {_holds.LIFTABLE})",
            was=_ISOLATED["Restriction"],
        ),
        *(
            migrations.RunSQL(
                sql=f"CREATE POLICY removal ON {table} AS PERMISSIVE FOR SELECT TO glassbox_remover {_holds.READ}",
                reverse_sql=f"DROP POLICY removal ON {table}",
            )
            for table in ("audit_legalhold", "audit_helditem", "audit_restriction")
        ),
        migrations.RunSQL(sql=_holds.FUNCTIONS, reverse_sql=_holds.NO_FUNCTIONS),
        migrations.RunSQL(sql=_holds.ERASE, reverse_sql=_holds.ERASE_BEFORE),
    ]
