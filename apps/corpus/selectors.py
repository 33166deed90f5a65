"""Selectors of documents: their titles, passages and kinds, and those whose terms an older analysis counted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from django.db.models import BooleanField, Count, Func, Q, QuerySet

from apps.corpus.models import Chunk, Document
from apps.corpus.models.document import DocumentStatus
from apps.corpus.terms import TERMS_VERSION


def document_title(document_id: UUID) -> str:
    """Return a document's title, or "" if the open scope has no such document."""
    found: str | None = Document.objects.filter(id=document_id).values_list("title", flat=True).first()
    return found or ""


def outdated_documents() -> QuerySet[Document]:
    """Return the open scope's documents with passages whose terms an older analysis counted (services/reindex.py)."""
    return Document.objects.filter(terms_version__lt=TERMS_VERSION, chunk_count__gt=0)


def documents_by_kind() -> Mapping[str, int]:
    """Return how many documents the open scope has of each kind, whatever their state; versions of one count once."""
    rows = Document.objects.order_by().values_list("kind").annotate(Count("series_id", distinct=True))
    return dict(rows)


class Unrestricted(Func):
    """Whether no document of this id is restricted: a restricted one is read by those who decide about it alone."""

    template = "(%(expressions)s <> ALL ((SELECT restricted_documents())::uuid[]))"
    arity = 1
    output_field = BooleanField()


def newest_passages(kinds: Iterable[str], *, documents: int, of_each: int) -> Sequence[Chunk]:
    """Return the first passages of the newest documents of some kinds that the open scope may search.

    Args:    documents: at most so many, the newest first. of_each: passages of one document, from its beginning.
    Returns: with their documents; in the order of the documents, and of the passages in each.
    Costs:   two queries.
    """
    ready = Document.objects.filter(Q(Unrestricted("id")), status=DocumentStatus.READY, kind__in=list(kinds))
    ids = list(ready.order_by("-created_at", "id").values_list("id", flat=True)[:documents])
    place = {document_id: number for number, document_id in enumerate(ids)}
    passages = Chunk.objects.filter(document_id__in=ids, is_parent=False, number__lte=of_each)
    return sorted(passages.select_related("document"), key=lambda each: (place[each.document_id], each.number))
