"""Restricted documents: as things to hold, and as what ingest must reckon with though nobody sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from uuid import UUID

from django.db.models import Q

from apps.corpus.models import Document, IngestJob
from apps.corpus.services.ingest_errors import RestrictedContentError
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.holdable import Item
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest

_PLACED = "place a document among its versions"


@contextmanager
def with_restricted(scope_id: ScopeId) -> Iterator[None]:
    """The open transaction with restricted documents of one scope in sight, as the system.

    For what would go wrong because of a row that is hidden from who acts: a version number taken twice, two versions in
    force at once. What is found there goes into no answer.
    """
    with open_scope(tenant=current_scope().tenant_id, scopes=[scope_id], reason=_PLACED):
        yield


def refuse_restricted_content(*, scope_id: ScopeId, content_sha256: str) -> None:
    """What is restricted does not come back by being sent again.

    Whoever gets this has the bytes, and learns that they are restricted in a scope that they may add to.

    Raises: RestrictedContentError. Costs: one query, one more where the scope holds these bytes, and the scope.
    """
    with with_restricted(scope_id):
        there = Document.objects.filter(scope_id=scope_id, content_sha256=content_sha256).values_list("id", flat=True)
        if (ids := list(there)) and restricted_among(ids):
            raise RestrictedContentError


class DocumentItems:
    """Documents, one version each, as what a hold can be on."""

    def describe(self, targets: Sequence[Target], *, lock: bool = False) -> Mapping[Target, Item]:
        documents = Document.objects.filter(id__in={target.id for target in targets})
        if lock:
            documents = documents.select_for_update(of=("self",))
        found = {document.id: document for document in documents.select_related("scope")}
        return {target: _item(found[target.id]) for target in targets if target.id in found}

    def search(self, words: str, *, limit: int) -> Sequence[Item]:
        """By what stands on paper: every word in the title, company, file name or id of the source; newest first."""
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
        return [_item(document) for document in documents.order_by("-created_at", "-id")[:limit]]

    def withdraw(self, ids: Sequence[UUID]) -> None:
        """What was answered to an upload or about a job repeats the title, for a day."""
        jobs = IngestJob.objects.filter(document_id__in=ids).values_list("id", flat=True)
        IdempotentRequest.objects.filter(subject_id__in=[*ids, *jobs]).delete()


def _item(document: Document) -> Item:
    return Item(
        target=Target(type=TargetType.DOCUMENT, id=document.id),
        name=document.title,
        detail=f"{document.get_kind_display()}, {document.scope}, version {document.version}",
        page="corpus_document_change",
        page_id=document.id,
        scope_ids=(document.scope_id,),
    )
