"""What is held: the companies, periods, document types and jurisdictions that a question's filters are read against."""

from __future__ import annotations

from typing import Final

from django.db.models import Count, Max, Min

from apps.corpus.models import Document
from apps.retrieval.contracts import CorpusInventory, InventoryEntry, SearchBounds
from apps.retrieval.retrievers.documents import live

_FACTS: Final = ("kind", "company", "ticker", "document_type", "fiscal_year", "fiscal_quarter", "jurisdictions")


class CorpusInventoryReader:
    """Counts live documents by what they state."""

    def read(self, bounds: SearchBounds) -> CorpusInventory:
        """Read the inventory of the scopes and kinds; the filter of the bounds is not applied. Costs: one query."""
        rows = (
            Document.objects.filter(
                live(bounds), tenant_id=bounds.tenant_id, scope_id__in=bounds.scope_ids, kind__in=bounds.kinds
            )
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
