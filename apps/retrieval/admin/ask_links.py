"""Addresses of what an answer came from. Pages of lower floors, by their admin names."""

from __future__ import annotations

from uuid import UUID

from django.urls import reverse
from django.utils.http import urlencode

from apps.audit.models import Event
from apps.retrieval.contracts import Citation
from apps.retrieval.selectors.passages import PassagePlace


def citation_url(citation: Citation, answer: str = "") -> str:
    """The page, with the quote marked. answer: the answer's own page, to which the way back leads."""
    return span_url(
        citation.document_id, page=citation.page, start=citation.char_start, end=citation.char_end, answer=answer
    )


def answer_url(event_id: UUID) -> str:
    return reverse("admin:ask_answer", args=[event_id])


def passage_url(place: PassagePlace) -> str:
    """The page, with the passage marked."""
    return span_url(place.document_id, page=place.page, start=place.char_start, end=place.char_end)


def span_url(document_id: UUID, *, page: int, start: int, end: int, answer: str = "") -> str:
    address = reverse("admin:corpus_document_page", args=[document_id])
    query: dict[str, str | int] = {"page": page, "start": start, "end": end}
    if answer:
        query["answer"] = answer
    return f"{address}?{urlencode(query)}#quote"


def policy_url(version_id: UUID) -> str:
    return reverse("admin:intents_policyversion_change", args=[version_id])


def event_url(event: Event) -> str:
    return reverse("admin:audit_event_change", args=[event.id])
