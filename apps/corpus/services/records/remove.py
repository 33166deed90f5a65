"""Remove a record: each of its versions in the two-person way of documents (services/removals.py), all or none."""

from __future__ import annotations

from django.db import transaction

from apps.corpus.models import Document
from apps.corpus.services.records.identity import record_document
from apps.corpus.services.removals import document_remove, proposal_of
from apps.erasure.models import RemovalRun
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission


def record_remove(
    *, scope_id: ScopeId, source: str, external_id: str, reason: str = "", words: str = ""
) -> tuple[RemovalRun, ...]:
    """Propose the removal of every version of a record; delete at once those of one's own that never were searchable.

    A version whose removal is proposed already keeps its proposal.

    Returns: the proposals, newest version first, each of which waits for another person; none if all versions were
             deleted at once.
    Raises:  PermissionDeniedError, RecordNotFoundError; what document_remove raises: nothing is proposed or deleted if
             a hold, a request or a retention rule keeps one of the versions.
    """
    current_scope().principal.require(Permission.DOCUMENT_DELETE)
    with transaction.atomic():
        newest = record_document(scope_id, source, external_id)
        versions = list(Document.objects.filter(series_id=newest.series_id).order_by("-version"))
        waiting = [document for document in versions if proposal_of(document.id) is None]
        runs = [
            document_remove(document_id=document.id, reason=reason, words=words) for document in waiting or versions
        ]
        return tuple(run for run in runs if run is not None)
