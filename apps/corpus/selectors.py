"""Reading documents: for floors below, which may not import this one, and by which analysis they were counted."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from apps.corpus.models import Document
from apps.corpus.terms import TERMS_VERSION


def document_title(document_id: UUID) -> str:
    """Empty where there is no such document within the open scope."""
    found: str | None = Document.objects.filter(id=document_id).values_list("title", flat=True).first()
    return found or ""


def outdated_documents() -> QuerySet[Document]:
    """Documents with passages, within the open scope, whose terms an older analysis counted (services/reindex.py)."""
    return Document.objects.filter(terms_version__lt=TERMS_VERSION, chunk_count__gt=0)
