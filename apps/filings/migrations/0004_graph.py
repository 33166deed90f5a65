"""Entities that documents name, and their relations, behind the wall."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import EnableIsolation, RunSqlFile, Writes


class Migration(migrations.Migration):
    dependencies = [
        ("corpus", "0005_kind_with_contents"),
        ("filings", "0003_facts_by_job"),
        ("tenants", "0002_access"),
    ]

    operations = [
        migrations.CreateModel(
            name="EntityMention",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=32)),
                (
                    "entity_type",
                    models.CharField(
                        choices=[
                            ("organisation", "Organisation"),
                            ("person", "Person"),
                            ("location", "Place"),
                            ("regulation", "Regulation"),
                            ("concept", "Concept"),
                            ("product", "Product"),
                            ("date", "Date"),
                            ("money", "Amount of money"),
                            ("percent", "Percentage"),
                            ("document", "Document"),
                        ],
                        max_length=16,
                    ),
                ),
                ("key", models.CharField(db_collation="C", max_length=160)),
                ("name", models.CharField(max_length=120)),
                ("page", models.PositiveIntegerField()),
                ("char_start", models.PositiveIntegerField()),
                ("char_end", models.PositiveIntegerField()),
                ("times", models.PositiveIntegerField()),
                (
                    "document",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="entity_mentions",
                        to="corpus.document",
                    ),
                ),
                (
                    "scope",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.scope",
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
                "ordering": ("document", "page", "char_start", "id"),
                "indexes": [models.Index(fields=["tenant", "scope", "key", "document"], name="mention_by_key")],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "document", "page", "key"), name="mention_once_a_page"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("char_start__lt", models.F("char_end"))), name="mention_has_a_place"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Relation",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=32)),
                ("number", models.PositiveIntegerField(help_text="The position in the document, from 1.")),
                (
                    "relation",
                    models.CharField(
                        choices=[
                            ("defines", "defines"),
                            ("governed_by", "is governed by"),
                            ("located_in", "is located in"),
                            ("related_to", "is related to"),
                            ("works_for", "works for"),
                            ("competes_with", "competes with"),
                            ("acquired", "acquired"),
                            ("subsidiary_of", "is a subsidiary of"),
                            ("refers_to", "refers to"),
                        ],
                        max_length=16,
                    ),
                ),
                (
                    "subject_type",
                    models.CharField(
                        choices=[
                            ("organisation", "Organisation"),
                            ("person", "Person"),
                            ("location", "Place"),
                            ("regulation", "Regulation"),
                            ("concept", "Concept"),
                            ("product", "Product"),
                            ("date", "Date"),
                            ("money", "Amount of money"),
                            ("percent", "Percentage"),
                            ("document", "Document"),
                        ],
                        max_length=16,
                    ),
                ),
                ("subject_key", models.CharField(db_collation="C", max_length=160)),
                ("subject_name", models.CharField(blank=True, max_length=200)),
                (
                    "object_type",
                    models.CharField(
                        choices=[
                            ("organisation", "Organisation"),
                            ("person", "Person"),
                            ("location", "Place"),
                            ("regulation", "Regulation"),
                            ("concept", "Concept"),
                            ("product", "Product"),
                            ("date", "Date"),
                            ("money", "Amount of money"),
                            ("percent", "Percentage"),
                            ("document", "Document"),
                        ],
                        max_length=16,
                    ),
                ),
                ("object_key", models.CharField(db_collation="C", max_length=160)),
                ("object_name", models.CharField(blank=True, max_length=200)),
                ("page", models.PositiveIntegerField()),
                ("char_start", models.PositiveIntegerField()),
                ("char_end", models.PositiveIntegerField()),
                ("target_page", models.PositiveIntegerField(null=True)),
                (
                    "document",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="relations",
                        to="corpus.document",
                    ),
                ),
                (
                    "scope",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="tenants.scope",
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
                "ordering": ("document", "number"),
                "indexes": [
                    models.Index(fields=["tenant", "scope", "subject_key"], name="relation_by_subject"),
                    models.Index(fields=["tenant", "scope", "object_key"], name="relation_by_object"),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("tenant", "scope", "document", "number"), name="relation_number_once"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("char_start__lt", models.F("char_end"))), name="relation_has_a_place"
                    ),
                ],
            },
        ),
        # No job changes a row: it would be moved from a document that the job may write to one that it may not.
        EnableIsolation("EntityMention", writes=Writes.UNCHANGED),
        EnableIsolation("Relation", writes=Writes.UNCHANGED),
        RunSqlFile("graph.sql"),
    ]
