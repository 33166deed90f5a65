"""What is held: the companies, periods, document types and jurisdictions that a question's filters are read against."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.db.models import Count, Max, Min

from apps.retrieval.contracts import CorpusInventory, DocumentId, GivenFilters, InventoryEntry, SearchBounds
from apps.retrieval.retrievers.documents import reachable, within_reach

_FACTS: Final = ("kind", "company", "ticker", "document_type", "fiscal_year", "fiscal_quarter", "jurisdictions")


class CorpusInventoryReader:
    """Counts live documents by what they state."""

    def held(self, given: GivenFilters, bounds: SearchBounds) -> GivenFilters:
        """What of the given documents and companies is held within the scopes and kinds, companies as they are spelled.

        An id of what is not there and one of what may not be reached are left out alike. Costs: at most two queries.
        """
        there = within_reach(bounds)
        documents, companies = given.documents, given.companies
        if documents is not None:
            found = set(there.filter(id__in=documents).values_list("id", flat=True))
            documents = tuple(DocumentId(each) for each in documents if each in found)
        if companies is not None:
            wanted = {each.casefold() for each in companies}
            known = there.exclude(company="").order_by("company").values_list("company", flat=True).distinct()
            companies = tuple(each for each in known if each.casefold() in wanted)
        return replace(given, documents=documents, companies=companies)

    def read(self, bounds: SearchBounds) -> CorpusInventory:
        """Read the inventory of the scopes, kinds and given filters; the filter that was read from the text is not
        applied. Costs: one query."""
        rows = (
            reachable(bounds)
            .order_by(*_FACTS)
            .values_list(*_FACTS)
            .annotate(documents=Count("id"), published_first=Min("published_on"), published_last=Max("published_on"))
        )
        return CorpusInventory(
            entries=tuple(
                InventoryEntry(
                    kind=kind,
                    company=company,
                    ticker=ticker,
                    document_type=document_type,
                    fiscal_year=fiscal_year,
                    fiscal_quarter=fiscal_quarter,
                    documents=documents,
                    published_first=first,
                    published_last=last,
                    jurisdictions=tuple(jurisdictions),
                )
                for (
                    kind,
                    company,
                    ticker,
                    document_type,
                    fiscal_year,
                    fiscal_quarter,
                    jurisdictions,
                    documents,
                    first,
                    last,
                ) in rows
            )
        )
