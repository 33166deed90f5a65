"""Correct the kind or the scope of several documents at once. A refused one does not affect the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction

from apps.corpus.models import Document
from apps.corpus.services.correct import document_correct
from apps.corpus.services.move import document_move
from apps.errors import ApplicationError
from apps.tenants.ids import ScopeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Refiled:
    """What became of one document. made: what it is now; None where it was refused, or is filed so already."""

    document: Document
    made: Document | None = None
    refusal: str = ""


def documents_refile(documents: Sequence[Document], *, kind: str) -> list[Refiled]:
    """File each document as another kind (document_correct), or return why it was refused."""
    return [
        _each(document, lambda one: document_correct(document_id=one.id, changes={}, kind=kind))
        for document in documents
    ]


def documents_move(documents: Sequence[Document], *, scope_id: ScopeId, words: str) -> list[Refiled]:
    """Move each document to another scope (document_move), or return why it was refused."""
    return [
        _each(document, lambda one: document_move(document_id=one.id, scope_id=scope_id, words=words).made)
        for document in documents
    ]


def _each(document: Document, act: Callable[[Document], Document]) -> Refiled:
    before = document.kind
    try:
        with transaction.atomic():
            made = act(document)
    except ApplicationError as error:
        return Refiled(document=document, refusal=error.detail)
    is_changed = made.id != document.id or made.kind != before
    return Refiled(document=document, made=made if is_changed else None)
