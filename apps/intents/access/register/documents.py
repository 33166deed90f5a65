"""Find the document that a question is about, and the times of its life: from its row, and from the log."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.audit.selectors import payloads_of
from apps.corpus.models import Document
from apps.corpus.removed import removed_by_runs
from apps.intents.access.register.contracts import DocumentFact
from apps.intents.errors import AmbiguousDocumentError, RegisterQuestionError
from apps.tenants.ids import ScopeId

_RECEIVED: Final = "corpus.document.received"
_READY: Final = "corpus.document.ready"
_SUPERSEDED: Final = "corpus.document.superseded"
_DELETED: Final = "corpus.document.deleted"
_RESTRICTED: Final = "audit.document.restricted"
_LIFTED: Final = "audit.document.restriction_lifted"
_LIFE: Final = (_RECEIVED, _READY, _SUPERSEDED, _DELETED, _RESTRICTED, _LIFTED)
_MOST: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentCandidate:
    """A document that typed words may mean."""

    id: UUID
    title: str
    kind: str
    version: int


def document_named(typed: str) -> DocumentFact:
    """Return the document that an id or a part of a title means, with the times of its life.

    Of the versions of one document, a title means the newest. A document that was removed is found by its id, from the
    log alone.
    Raises: AmbiguousDocumentError: the title means several documents.
            RegisterQuestionError: it means none that the asker may see.
    Costs:  three queries; six more for a document that is gone.
    """
    wanted = " ".join(typed.split())
    try:
        return document_fact(UUID(wanted))
    except ValueError:
        pass
    newest: dict[UUID, Document] = {}
    for row in Document.objects.filter(title__icontains=wanted).order_by("title", "-version", "id"):
        newest.setdefault(row.series_id, row)
    whole = [row for row in newest.values() if row.title.casefold() == wanted.casefold()]
    found = whole or list(newest.values())
    if not found:
        raise RegisterQuestionError("intents.register_unknown_document", field="document")
    if len(found) > 1:
        shown = tuple(
            DocumentCandidate(id=row.id, title=row.title, kind=row.kind, version=row.version) for row in found[:_MOST]
        )
        raise AmbiguousDocumentError(documents=shown, more=len(found) - len(shown))
    return document_fact(found[0].id)


def document_fact(document_id: UUID) -> DocumentFact:
    """Return the times of a document's life. Raises: RegisterQuestionError: none that the asker may see."""
    row: Document | None = Document.objects.filter(id=document_id).first()
    events = list(
        Event.objects.filter(subject_type="document", subject_id=document_id, action__in=_LIFE).order_by(
            "occurred_at", "id"
        )
    )
    first: dict[str, datetime] = {}
    for event in events:
        first.setdefault(event.action, event.occurred_at)
    received = next((event for event in events if event.action == _RECEIVED), None)
    restricted = _restricted([event for event in events if event.action in (_RESTRICTED, _LIFTED)])
    if row is not None:
        return DocumentFact(
            id=document_id,
            title=row.title,
            kind=row.kind,
            scope_id=ScopeId(row.scope_id),
            received_at=row.created_at,
            # One that became ready after its successor was never current: no question found it, as of no time.
            published_at=row.valid_from if row.valid_from != row.valid_to else None,
            superseded_at=row.valid_to,
            gone_at=None,
            restricted=restricted,
            is_there=True,
        )
    if received is None or not received.scope_ids:
        raise RegisterQuestionError("intents.register_unknown_document", field="document")
    kind = payloads_of([received]).get(received.id, {}).get("core", {}).get("kind", "")
    return DocumentFact(
        id=document_id,
        title="",
        kind=str(kind),
        scope_id=ScopeId(received.scope_ids[0]),
        received_at=received.occurred_at,
        published_at=_published_at(events),
        superseded_at=first.get(_SUPERSEDED),
        gone_at=first.get(_DELETED) or removed_by_runs([document_id]).get(document_id),
        restricted=restricted,
        is_there=False,
    )


def _published_at(events: Sequence[Event]) -> datetime | None:
    """Return since when a document that is gone was searchable; None if it never was, or came after its successor."""
    ready = next((event for event in events if event.action == _READY), None)
    superseded = next((event for event in events if event.action == _SUPERSEDED), None)
    if ready is None:
        return None
    if superseded is None:
        return ready.occurred_at
    successor = payloads_of([superseded]).get(superseded.id, {}).get("core", {}).get("superseded_by")
    before = Event.objects.filter(
        action=_READY, subject_type="document", subject_id=successor, occurred_at__lt=ready.occurred_at
    )
    return None if before.exists() else ready.occurred_at


def _restricted(events: Iterable[Event]) -> tuple[tuple[datetime, datetime | None], ...]:
    """Return the periods in which at least one restriction was in force. A document can be restricted for several."""
    ordered = list(events)
    payloads = payloads_of(ordered)
    open_reasons: set[str] = set()
    begun: datetime | None = None
    found: list[tuple[datetime, datetime | None]] = []
    for event in ordered:
        core = payloads.get(event.id, {}).get("core", {})
        reason = f"{core.get('because')} {core.get('because_id')}"
        if event.action == _RESTRICTED:
            begun = begun or event.occurred_at
            open_reasons.add(reason)
        else:
            open_reasons.discard(reason)
            if not open_reasons and begun is not None:
                found.append((begun, event.occurred_at))
                begun = None
    return (*found, (begun, None)) if begun is not None else tuple(found)
