"""Facts: figures of documents, each with its place on a page."""

from __future__ import annotations

from django.db import models

from apps.corpus.models import Document
from apps.filings.contracts import CheckResult, FactUnit, HowRead
from apps.tenants.models.base import ScopedModel, TenantForeignKey
from apps.tenants.personal_data import Fields, PersonalData, Phase, Sort, reasons
from apps.tenants.personal_data.stores import rows_of_document


class Fact(ScopedModel):
    """One figure of one document version. apps/filings/contracts.py says what each field means.

    A restatement is a fact of its own, of the document that restates; so is the same figure in a second document.
    kind and company are those of the document, repeated so that a series is read by one index.
    """

    document = TenantForeignKey(Document, on_delete=models.CASCADE, related_name="facts")
    kind = models.CharField(max_length=32)
    company = models.CharField(max_length=200, blank=True)
    number = models.PositiveIntegerField(help_text="The position in the document, from 1.")

    concept = models.CharField(max_length=120, blank=True)
    tag = models.CharField(max_length=200, blank=True)
    label = models.CharField(max_length=300)
    column = models.CharField(max_length=300, blank=True)
    group = models.CharField(max_length=300, blank=True)
    dimension = models.CharField(max_length=300, blank=True)

    value = models.DecimalField(max_digits=38, decimal_places=10)
    printed = models.CharField(max_length=64)
    exponent = models.SmallIntegerField(null=True)
    decimals = models.SmallIntegerField()
    unit = models.CharField(max_length=16, choices=FactUnit.choices)
    currency = models.CharField(max_length=3, blank=True)

    starts_on = models.DateField(null=True)
    ends_on = models.DateField(null=True)
    fiscal_year = models.PositiveSmallIntegerField()
    fiscal_quarter = models.PositiveSmallIntegerField(help_text="0 is the whole year.")
    months = models.PositiveSmallIntegerField(help_text="The length of the period; 0 is an instant.")

    statement = models.CharField(max_length=32, blank=True)
    consolidated = models.BooleanField(default=True)
    restated = models.BooleanField(default=False)

    page = models.PositiveIntegerField()
    row_start = models.PositiveIntegerField()
    row_end = models.PositiveIntegerField()
    cell_start = models.PositiveIntegerField()
    cell_end = models.PositiveIntegerField()
    heading_start = models.PositiveIntegerField(null=True)
    heading_end = models.PositiveIntegerField(null=True)

    how_read = models.CharField(max_length=16, choices=HowRead.choices)
    confidence = models.DecimalField(max_digits=4, decimal_places=3)
    check_result = models.CharField(max_length=16, choices=CheckResult.choices)
    check_detail = models.CharField(max_length=300, blank=True)

    personal_data = PersonalData(
        Fields(
            "id tenant scope document kind number concept tag exponent decimals unit currency starts_on ends_on "
            "fiscal_year fiscal_quarter months statement consolidated restated page row_start row_end cell_start "
            "cell_end heading_start heading_end how_read confidence check_result",
            Sort.NONE,
            because="Ids, places, periods and the vocabulary's own words.",
        ),
        Fields(
            "company label column group dimension value printed check_detail",
            Sort.CONTENT,
            because="What a table of a document says, which may be about a person: their pay, their shares.",
            unsearched="It is the text of pages, which are searched.",
        ),
        cleared_by="filings.facts",
        withheld=reasons.CONTENT,
        stores=(rows_of_document("filings.facts", "Facts", Phase.DERIVED),),
    )

    class Meta:
        ordering = ("document", "number")
        constraints = (
            models.UniqueConstraint(fields=["tenant", "scope", "document", "number"], name="fact_number_once"),
            models.CheckConstraint(
                condition=models.Q(row_start__lte=models.F("cell_start"), cell_end__lte=models.F("row_end"))
                & models.Q(cell_start__lt=models.F("cell_end")),
                name="fact_stands_in_its_row",
            ),
        )
        indexes = (
            models.Index(fields=["tenant", "scope", "company", "concept", "fiscal_year"], name="fact_by_series"),
        )

    def __str__(self) -> str:
        return f"{self.label} {self.fiscal_year}"
