"""The audit events of ingest. They hold ids, counts and codes, never a title, a file name or text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from apps.audit.models import Outcome
from apps.audit.registry import EventClass, Group, made_with, offer_to_webhooks, register
from apps.audit.services import record
from apps.corpus.models import Document
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

RECEIVED = "corpus.document.received"
READY = "corpus.document.ready"
SUPERSEDED = "corpus.document.superseded"
FAILED = "corpus.document.failed"
REEMBEDDED = "corpus.document.reembedded"
REINDEXED = "corpus.document.reindexed"
RESTARTED = "corpus.job.restarted"
CORRECTED = "corpus.document.corrected"
# The action that was recorded while only the title could be corrected.
RETITLED = "corpus.document.retitled"
REFUSED = "corpus.document.refused"

# A redacted version is ingested like every other document, and its actor is the person who decided on the redaction.
_ADD = frozenset({Permission.DOCUMENT_ADD, Permission.PRIVACY_MANAGE})
_DOCUMENT = ("kind", "series_id", "version", "content_sha256")


# Each of these events ends the ingest of a document, with success or failure.
INGEST_ENDS = frozenset({READY, FAILED, REEMBEDDED})


def register_ingest_events() -> None:
    """Register the event classes; called once when the app is ready."""
    register(
        # This event proves who uploaded a document, and that person may remove it alone if it was never searchable
        # (sql/kept_by_two.sql).
        _event_class(
            RECEIVED,
            "Document received",
            *("byte_size", "document_type", "source_type"),
            bound=made_with("corpus_document", "created_at"),
        ),
        _event_class(READY, "Document ready", "page_count", "chunk_count", "embedding_profile", "embedding_model"),
        _event_class(SUPERSEDED, "Document superseded", "superseded_by"),
        _event_class(FAILED, "Document failed", "error_code", "stage", "attempts"),
        _event_class(
            REEMBEDDED,
            "Document embedded again",
            *("chunk_count", "embedding_profile", "embedding_model", "error_code", "stage", "attempts"),
        ),
        _event_class(REINDEXED, "Document reindexed", "chunk_count", "terms_version", "terms_version_before"),
        _event_class(
            RESTARTED, "Ingest started again", "job_id", "stage", "error_code", by=frozenset({Permission.JOB_RETRY})
        ),
        # fields: the names of the changed fields, never a value.
        _event_class(CORRECTED, "Document corrected", "fields", "corrected_by"),
        _event_class(RETITLED, "Document title corrected", "corrected_by"),
        EventClass(
            action=REFUSED,
            label="Erased document refused",
            fields={Group.CORE: frozenset({"kind", "run_id", "told_by"})},
            permissions=_ADD,
        ),
    )
    offer_to_webhooks(RECEIVED, READY, SUPERSEDED, FAILED, REEMBEDDED, RETITLED, REFUSED, RESTARTED)


def record_document_event(
    action: str, document: Document, *, outcome: Outcome = Outcome.SUCCESS, **core: str | int | None
) -> None:
    """Record one of the actions above about a document, in the current transaction."""
    about: Mapping[str, Any] = {
        "kind": document.kind,
        "series_id": str(document.series_id),
        "version": document.version,
        "content_sha256": document.content_sha256,
    }
    record(
        action=action,
        core={**about, **core},
        outcome=outcome,
        subject_type="document",
        subject_id=document.id,
        scopes=[ScopeId(document.scope_id)],
    )


def _event_class(
    action: str, label: str, *fields: str, by: frozenset[str] = _ADD, bound: tuple[str, ...] = ()
) -> EventClass:
    core = frozenset((*_DOCUMENT, *fields))
    return EventClass(action=action, label=label, fields={Group.CORE: core}, permissions=by, binding=bound)
