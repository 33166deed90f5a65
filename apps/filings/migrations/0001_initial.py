import django.db.models.deletion
from django.db import migrations, models

import apps.tenants.models.base
from apps.tenants.operations import EnableIsolation, RunSqlFile


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("corpus", "0001_initial"),
        ("tenants", "0002_access"),
    ]

    operations = [
        migrations.CreateModel(
            name="Fact",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        db_default=apps.tenants.models.base.UuidV7(), editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("kind", models.CharField(max_length=32)),
                ("company", models.CharField(blank=True, max_length=200)),
                ("number", models.PositiveIntegerField(help_text="The position in the document, from 1.")),
                ("concept", models.CharField(blank=True, max_length=120)),
                ("tag", models.CharField(blank=True, max_length=200)),
                ("label", models.CharField(max_length=300)),
                ("column", models.CharField(blank=True, max_length=300)),
                ("group", models.CharField(blank=True, max_length=300)),
                ("dimension", models.CharField(blank=True, max_length=300)),
                ("value", models.DecimalField(decimal_places=10, max_digits=38)),
                ("printed", models.CharField(max_length=64)),
                ("exponent", models.SmallIntegerField(null=True)),
                ("decimals", models.SmallIntegerField()),
                (
                    "unit",
                    models.CharField(
                        choices=[
                            ("money", "Amount of money"),
                            ("per_share", "Amount per share"),
                            ("shares", "Shares"),
                            ("percent", "Per cent"),
                            ("number", "Number"),
                        ],
                        max_length=16,
                    ),
                ),
                ("currency", models.CharField(blank=True, max_length=3)),
                ("starts_on", models.DateField(null=True)),
                ("ends_on", models.DateField(null=True)),
                ("fiscal_year", models.PositiveSmallIntegerField()),
                ("fiscal_quarter", models.PositiveSmallIntegerField(help_text="0 is the whole year.")),
                ("months", models.PositiveSmallIntegerField(help_text="The length of the period; 0 is an instant.")),
                ("statement", models.CharField(blank=True, max_length=32)),
                ("consolidated", models.BooleanField(default=True)),
                ("restated", models.BooleanField(default=False)),
                ("page", models.PositiveIntegerField()),
                ("row_start", models.PositiveIntegerField()),
                ("row_end", models.PositiveIntegerField()),
                ("cell_start", models.PositiveIntegerField()),
                ("cell_end", models.PositiveIntegerField()),
                ("heading_start", models.PositiveIntegerField(null=True)),
                ("heading_end", models.PositiveIntegerField(null=True)),
                (
                    "how_read",
                    models.CharField(
                        choices=[
                            ("xbrl", "Inline XBRL"),
                            ("html_table", "Table of an HTML page"),
                            ("pdf_table", "Table of a PDF page"),
                            ("other_table", "Table of another file"),
                        ],
                        max_length=16,
                    ),
                ),
                ("confidence", models.DecimalField(decimal_places=3, max_digits=4)),
                (
                    "check_result",
                    models.CharField(
                        choices=[("unchecked", "Not checked"), ("passed", "Sums hold"), ("failed", "Sums do not hold")],
                        max_length=16,
                    ),
                ),
                ("check_detail", models.CharField(blank=True, max_length=300)),
                (
                    "document",
                    apps.tenants.models.base.TenantForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="facts",
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
                    models.Index(fields=["tenant", "scope", "company", "concept", "fiscal_year"], name="fact_by_series")
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("tenant", "scope", "document", "number"), name="fact_number_once"),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("cell_end__lte", models.F("row_end")),
                            ("row_start__lte", models.F("cell_start")),
                            ("cell_start__lt", models.F("cell_end")),
                        ),
                        name="fact_stands_in_its_row",
                    ),
                ],
            },
        ),
        EnableIsolation("Fact"),
        RunSqlFile("facts.sql"),
    ]
