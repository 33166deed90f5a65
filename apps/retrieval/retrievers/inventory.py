"""What is held: the companies, periods and document types that a question's filters are read against."""

from __future__ import annotations

from django.db.models import Count, Max, Min

from apps.corpus.models import Document
from apps.retrieval.contracts import CorpusInventory, InventoryEntry, SearchBounds
from apps.retrieval.retrievers.documents import live


class CorpusInventoryReader:
    """Counts live documents by what they state."""

    def read(self, bounds: SearchBounds) -> CorpusInventory:
        """Read the inventory of the scopes and kinds; the filter of the bounds is not applied. Costs: one query."""
        rows = (
            Document.objects.filter(
                live(bounds), tenant_id=bounds.tenant_id, scope_id__in=bounds.scope_ids, kind__in=bounds.kinds
            )
            .order_by("kind", "company", "ticker", "document_type", "fiscal_year", "fiscal_quarter")
            .values_list("kind", "company", "ticker", "document_type", "fiscal_year", "fiscal_quarter")
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
                )
                for kind, company, ticker, document_type, fiscal_year, fiscal_quarter, documents, first, last in rows
            )
        )
