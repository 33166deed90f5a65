"""Select the evaluation questions that the reader may see, with the current name of what they expect."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django.db.models import QuerySet

from apps.corpus.models import Document, DocumentStatus
from apps.quality.models import EvaluationQuery
from apps.tenants.models import Scope

SUGGESTED: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationLine:
    """An evaluation question with its scope and document.

    document: the searchable version; None if there is none that the reader may see.
    """

    query: EvaluationQuery
    scope_key: str
    document: Document | None


def evaluation_lines() -> list[EvaluationLine]:
    """Return the evaluation questions, newest first. Costs three queries."""
    queries: list[EvaluationQuery] = list(EvaluationQuery.objects.order_by("-created_at", "-id"))
    documents = _searchable().filter(series_id__in={query.series_id for query in queries})
    by_series = {document.series_id: document for document in documents}
    keys = dict(Scope.objects.values_list("id", "key"))
    return [
        EvaluationLine(query=query, scope_key=keys.get(query.scope_id, ""), document=by_series.get(query.series_id))
        for query in queries
    ]


def searchable_documents() -> Iterable[Document]:
    """Return the newest documents that the reader may see, for a field's suggestions."""
    return _searchable().order_by("-created_at", "-id")[:SUGGESTED]


def document_named(name: str) -> list[Document]:
    """Return the searchable documents with this short name, as citations use it, or else with this title."""
    by_slug = list(_searchable().filter(slug=name))
    return by_slug or list(_searchable().filter(title=name)[:2])


def _searchable() -> QuerySet[Document]:
    found: QuerySet[Document] = Document.objects.filter(status=DocumentStatus.READY)
    return found
