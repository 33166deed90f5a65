"""The audit events of documents, beside those of ingest (services/ingest/events.py)."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, offer_to_webhooks, register
from apps.tenants.roles import Permission

DELETED = "corpus.document.deleted"
EXPORTED = "corpus.document.exported"
EXPORT_CUT_SHORT = "corpus.document.export_cut_short"
REDACTED = "corpus.document.redacted"
PERSON_SEARCHED = "corpus.person.searched"

_DOCUMENT = frozenset({"kind", "series_id", "version", "content_sha256"})


def register_events() -> None:
    register(
        EventClass(
            action=DELETED,
            label="Document deleted",
            fields={Group.CORE: _DOCUMENT | {"status", "page_count", "chunk_count", "byte_size"}},
            permissions=frozenset({Permission.DOCUMENT_DELETE}),
        ),
        EventClass(
            action=EXPORTED,
            label="Document downloaded",
            fields={Group.CORE: _DOCUMENT | {"byte_size"}},
            permissions=frozenset({Permission.DOCUMENT_VIEW}),
        ),
        EventClass(
            action=REDACTED,
            label="Document redacted",
            fields={Group.CORE: _DOCUMENT | {"pages", "passages", "fields", "redacted_id"}},
            permissions=frozenset({Permission.PRIVACY_MANAGE}),
        ),
        EventClass(
            action=PERSON_SEARCHED,
            label="Person searched for",
            permissions=frozenset({Permission.PRIVACY_MANAGE}),
            # The number of known names, addresses and so on, never their values: those are in the request.
            fields={
                Group.CORE: frozenset(
                    {
                        *("names", "aliases", "emails", "phones", "ibans", "accounts", "words"),
                        *("texts", "missing_scopes"),
                    }
                )
            },
        ),
        EventClass(
            action=EXPORT_CUT_SHORT,
            label="Download cut short",
            fields={
                Group.CORE: _DOCUMENT | {"byte_size", "sent_bytes", "error_code", "reader_kind", "reader_id"},
            },
        ),
    )
    offer_to_webhooks(DELETED, REDACTED)
