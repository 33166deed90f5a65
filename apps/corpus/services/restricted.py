"""Restricted documents: how ingest takes them into account although users can't see them, and documents as items that
can be held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.corpus.models import Document, IngestJob
from apps.corpus.registry import kind_names, name_of
from apps.corpus.services.ingest.errors import RestrictedContentError
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.holdable import Item
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest

_PLACED = "place a document among its versions"


@contextmanager
def with_restricted(scope_id: ScopeId) -> Iterator[None]:
    """Make the restricted documents of one scope visible in the open transaction, as the system.

    This prevents errors because of rows that the principal can't see: a version number used twice, or two versions in
    force at once. A caller must not put what it finds into a response.
    """
    with open_scope(tenant=current_scope().tenant_id, scopes=[scope_id], reason=_PLACED):
        yield


def refuse_restricted_content(*, scope_id: ScopeId, content_sha256: str) -> None:
    """Refuse an upload of bytes that a restricted document of the scope has.

    The error tells the uploader, who has the bytes, only that they are restricted in a scope that the uploader may add
    to.
    Raises: RestrictedContentError.
    Costs:  opening the scope and one query, and one more if the scope has these bytes.
    """
    if has_restricted(scope_id, Document.objects.filter(scope_id=scope_id, content_sha256=content_sha256)):
        raise RestrictedContentError


def has_restricted(scope_id: ScopeId, documents: QuerySet[Document]) -> bool:
    """Return whether one of these documents of the scope is restricted, even if the principal can't see it."""
    with with_restricted(scope_id):
        ids = list(documents.values_list("id", flat=True))
        return bool(ids and restricted_among(ids))


class DocumentItems:
    """Documents as items that a legal hold can cover; each version is an item."""

    def describe(self, targets: Sequence[Target], *, lock: bool = False) -> Mapping[Target, Item]:
        documents = Document.objects.filter(id__in={target.id for target in targets})
        if lock:
            documents = documents.select_for_update(of=("self",))
        found = {document.id: document for document in documents.select_related("scope")}
        names = kind_names()
        return {target: _item(found[target.id], names) for target in targets if target.id in found}

    def search(self, words: str, *, limit: int) -> Sequence[Item]:
        """Return documents with each word in the title, company, file name or external id, newest first."""
        if not words.strip() or "\0" in words:
            return ()
        documents = Document.objects.select_related("scope")
        for word in words.split()[:10]:
            documents = documents.filter(
                Q(title__icontains=word)
                | Q(company__icontains=word)
                | Q(filename__icontains=word)
                | Q(external_id__icontains=word)
            )
        names = kind_names()
        return [_item(document, names) for document in documents.order_by("-created_at", "-id")[:limit]]

    def withdraw(self, ids: Sequence[UUID]) -> None:
        """Delete the stored responses about these documents and their jobs, which repeat the title for a day."""
        jobs = IngestJob.objects.filter(document_id__in=ids).values_list("id", flat=True)
        IdempotentRequest.objects.filter(subject_id__in=[*ids, *jobs]).delete()


def _item(document: Document, names: dict[str, str]) -> Item:
    return Item(
        target=Target(type=TargetType.DOCUMENT, id=document.id),
        name=document.title,
        detail=f"{name_of(document.kind, names)}, {document.scope}, version {document.version}",
        page="corpus_document_change",
        page_id=document.id,
        scope_ids=(document.scope_id,),
    )
