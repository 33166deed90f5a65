"""Selectors of documents: their titles, how many a kind has, and those whose terms an older analysis counted."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from django.db.models import Count, QuerySet

from apps.corpus.models import Document
from apps.corpus.terms import TERMS_VERSION


def document_title(document_id: UUID) -> str:
    """Return a document's title, or "" if the open scope has no such document."""
    found: str | None = Document.objects.filter(id=document_id).values_list("title", flat=True).first()
    return found or ""


def outdated_documents() -> QuerySet[Document]:
    """Return the open scope's documents with passages whose terms an older analysis counted (services/reindex.py)."""
    return Document.objects.filter(terms_version__lt=TERMS_VERSION, chunk_count__gt=0)


def kinds_of_documents() -> frozenset[str]:
    """Return the keys of the kinds of which the open scope has documents, whatever their state."""
    return frozenset(Document.objects.order_by().values_list("kind", flat=True).distinct())


def documents_by_kind() -> Mapping[str, int]:
    """Return how many documents the open scope has of each kind, whatever their state; versions of one count once."""
    rows = Document.objects.order_by().values_list("kind").annotate(Count("series_id", distinct=True))
    return dict(rows)
