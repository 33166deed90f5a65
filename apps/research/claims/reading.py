"""Read what a check may know of the corpus: companies, row names and facts, within the bounds of a question."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.corpus.models import Document, Page
from apps.filings.models import Fact
from apps.filings.vocabulary.concepts import find_in_text
from apps.research.claims.contracts import Operand
from apps.research.claims.subjects import Held
from apps.retrieval.contracts import SearchBounds
from apps.retrieval.retrievers.documents import reachable
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.stages.question.companies import mentions_of_companies

MOST_FACTS: Final = 20_000
_MOST_LABELS: Final = 20_000
_LONGEST_QUOTE: Final = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What a text is read against, and the facts that it may be about."""

    held: Held
    facts: tuple[Fact, ...] = ()


def read_known(text: str, bounds: SearchBounds, *, company: str = "") -> Known:
    """Return what is held, within the bounds, of the companies that a text names, and of the company given.

    Costs: four queries; one if the text names no company that is held.
    """
    lawful = bounds.filter.jurisdictions
    entries = tuple(
        each
        for each in CorpusInventoryReader().read(bounds).entries
        if not lawful or not each.jurisdictions or not set(lawful).isdisjoint(each.jurisdictions)
    )
    companies = {name for mention in mentions_of_companies(text, entries) for name in mention.companies}
    companies.update(entry.company for entry in entries if company and entry.company.casefold() == company.casefold())
    if not companies:
        return Known(held=Held(entries=entries))
    own = _facts(bounds).filter(company__in=sorted(companies))
    folded = " ".join(text.casefold().split())
    labels = _in_text(folded, own.filter(concept="").order_by().values_list("label", flat=True).distinct())
    parts = _in_text(folded, own.exclude(dimension="").order_by().values_list("dimension", flat=True).distinct())
    concepts = {found.concept.name for found in find_in_text(text)}
    wanted = Q(concept__in=sorted(concepts)) | Q(concept="", label__in=labels)
    facts = own.filter(wanted).select_related("document").order_by("document_id", "number")[:MOST_FACTS]
    return Known(held=Held(entries=entries, labels=labels, parts=parts), facts=tuple(facts))


def quotes_of(operands: Collection[Operand]) -> dict[tuple[UUID, int, int], str]:
    """Return the rows of facts as their pages print them, by document, page and beginning. Costs: one query."""
    if not operands:
        return {}
    pages = Page.objects.filter(
        document_id__in={each.document_id for each in operands}, number__in={each.page for each in operands}
    )
    texts = {(page.document_id, page.number): page.text for page in pages}
    return {
        (each.document_id, each.page, each.row_start): " ".join(
            texts.get((each.document_id, each.page), "")[each.row_start : each.row_end].split()
        )[:_LONGEST_QUOTE]
        for each in operands
    }


def _facts(bounds: SearchBounds) -> QuerySet[Fact]:
    """Return the facts of the documents that a search within the bounds may reach."""
    documents: QuerySet[Document] = reachable(bounds)
    if bounds.filter.jurisdictions:
        documents = documents.filter(Q(jurisdictions=[]) | Q(jurisdictions__overlap=list(bounds.filter.jurisdictions)))
    facts: QuerySet[Fact] = Fact.objects.filter(tenant_id=bounds.tenant_id, document__in=documents.order_by())
    return facts


def _in_text(folded: str, names: QuerySet[Fact, str]) -> tuple[str, ...]:
    found: Sequence[str] = list(names[:_MOST_LABELS])
    return tuple(sorted(name for name in found if " ".join(name.casefold().split()) in folded))
