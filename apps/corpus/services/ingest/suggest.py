"""Suggest the kind of a file to the person who files it, among the kinds that the person may upload."""

from __future__ import annotations

from apps.corpus.description import describe
from apps.corpus.kinds import DocumentType
from apps.corpus.models import Document
from apps.corpus.registry import kinds_in_force
from apps.corpus.services.ingest.kind import usable_kinds
from apps.corpus.suggestion import FileSigns, KindSuggestion, beginning_of, suggest_kinds
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

_PAGES = 2


def kind_suggest(*, filename: str, content: bytes = b"") -> tuple[KindSuggestion, ...]:
    """Return the kinds that fit a file that is not stored yet, best first. Nothing is stored or recorded.

    Args:   content: its first bytes; of a PDF or Word file only the name is looked at, since only the reader opens it.
    Raises: PermissionDeniedError.
    """
    current_scope().principal.require(Permission.DOCUMENT_ADD)
    about = describe(None, filename=filename, given={})
    signs = FileSigns(filename=filename, beginning=beginning_of(content), document_type=about.document_type)
    return suggest_kinds(signs, usable_kinds())


def looks_otherwise(document: Document) -> KindSuggestion | None:
    """Return the kind that a document's name and first pages speak for, if its own kind is not among those that fit.

    Costs: two queries.
    """
    pages = document.pages.order_by("number").values_list("text", flat=True)[:_PAGES]
    signs = FileSigns(
        filename=document.filename, beginning="\n".join(pages), document_type=DocumentType(document.document_type)
    )
    found = suggest_kinds(signs, kinds_in_force())
    return found[0] if found and document.kind not in {each.kind for each in found} else None
