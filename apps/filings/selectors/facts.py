"""Facts of the documents that are in force."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count, Exists, Max, Min, OuterRef, QuerySet

from apps.corpus.models import Document, DocumentStatus
from apps.filings.models import Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyFacts:
    """What is held of a company: its documents, and the fiscal years of the first and the last, where they have one."""

    company: str
    documents: int
    first_year: int | None
    last_year: int | None


def current_facts() -> QuerySet[Fact]:
    """Return the facts of documents in force, in the open scope."""
    facts: QuerySet[Fact] = Fact.objects.filter(document__status=DocumentStatus.READY)
    return facts


def facts_of_document(document_id: UUID) -> QuerySet[Fact]:
    """Return the facts of one document version, in the order of its pages."""
    facts: QuerySet[Fact] = Fact.objects.filter(document_id=document_id).order_by("number")
    return facts


def companies_with_facts() -> list[CompanyFacts]:
    """Return the companies of the open scope whose documents have facts, by name. Reads no fact but one a document."""
    rows = (
        Document.objects.filter(Exists(Fact.objects.filter(document=OuterRef("pk"))), status=DocumentStatus.READY)
        .exclude(company="")
        .values("company")
        .annotate(documents=Count("id"), first_year=Min("fiscal_year"), last_year=Max("fiscal_year"))
        .order_by("company")
    )
    return [CompanyFacts(**row) for row in rows]


def companies_named(name: str) -> list[str]:
    """Return the companies of documents in force that have this name, in any case of its letters."""
    documents = Document.objects.filter(status=DocumentStatus.READY, company__iexact=name)
    return sorted(set(documents.values_list("company", flat=True)))
