"""Addresses of what an answer came from. Pages of lower floors, by their admin names."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.urls import reverse
from django.utils.http import urlencode

from apps.audit.models import Event
from apps.corpus.admin.document_hits import MOST_HITS, Hit, Trail
from apps.retrieval.contracts import Citation
from apps.retrieval.selectors.passages import PassagePlace


def citation_url(citation: Citation, among: Sequence[Citation] = (), *, answer: str = "") -> str:
    """The page, with the quote marked.

    Args: among: all citations of the answer, so that the page leads from one to the next.
          answer: the path of the answer's own page, which the page shows beside and leads back to.
    """
    if len(among) < 2 and not answer:
        return span_url(citation.document_id, page=citation.page, start=citation.char_start, end=citation.char_end)
    hits = tuple(dict.fromkeys(_hit(each) for each in among))[:MOST_HITS]
    return Trail(hits=hits, answer=answer).url(_hit(citation))


def _hit(citation: Citation) -> Hit:
    return Hit(citation.document_id, citation.page, citation.char_start, citation.char_end)


def answer_url(event_id: UUID) -> str:
    return reverse("admin:ask_answer", args=[event_id])


def passage_url(place: PassagePlace) -> str:
    """The page, with the passage marked."""
    return span_url(place.document_id, page=place.page, start=place.char_start, end=place.char_end)


def policy_url(version_id: UUID) -> str:
    return reverse("admin:intents_policyversion_change", args=[version_id])


def event_url(event: Event) -> str:
    return reverse("admin:audit_event_change", args=[event.id])


def span_url(document_id: UUID, *, page: int, start: int, end: int) -> str:
    address = reverse("admin:corpus_document_page", args=[document_id])
    return f"{address}?{urlencode({'page': page, 'start': start, 'end': end})}#quote"
