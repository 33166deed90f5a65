"""Read the companies, periods, document types and jurisdictions that are held, to read a question's filters against."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from django.db.models import Count, Max, Min

from apps.retrieval.contracts import CorpusInventory, DocumentId, GivenFilters, InventoryEntry, SearchBounds
from apps.retrieval.retrievers.documents import reachable, within_reach

_FACTS: Final = ("kind", "company", "ticker", "document_type", "fiscal_year", "fiscal_quarter", "jurisdictions")


class CorpusInventoryReader:
    """Counts live documents by the facts that they state."""

    def held(self, given: GivenFilters, bounds: SearchBounds) -> GivenFilters:
        """Return the given filters reduced to documents and companies that are held within the scopes and kinds.

        Companies are returned in the corpus's spelling. An id that does not exist and an id that may not be reached are
        both left out, without a difference. Costs: at most two queries.
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
        """Read the inventory of the scopes, kinds and given filters, without the filter that was read from the text.

        Costs: one query.
        """
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
