"""Taking documents out of retrieval and out of every reader's view at once, and giving them back.

What follows from a restriction is held by the database (corpus/sql/restrictions.sql): from the next statement on, a
restricted document is not there for anybody but those who manage or approve privacy. Other types of targets are passed
over: a part of an event is read by whoever may read the log, restricted or not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from apps.audit.services import record
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.events import LIFTED, RESTRICTED
from apps.erasure.holds.items import describe, withdraw_documents
from apps.erasure.models import Because, Restriction
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId


def restrict(targets: Iterable[Target], because: Because, because_id: UUID) -> list[Target]:
    """Restrict the documents among the targets, in the open transaction. Needs privacy.manage or privacy.approve.

    Can be repeated: what is restricted for this reason already is passed over.

    Returns: those that are restricted now for this reason; not in it: other types, and documents that are not there or
             lie in scopes that are not open.
    Costs:   two queries, and an event for each document that was not restricted for this reason before.
    """
    documents = sorted({target for target in targets if target.type is TargetType.DOCUMENT})
    if not documents:
        return []
    with transaction.atomic():
        there = describe(documents)
        known = set(_for(because, because_id).values_list("document_id", flat=True))
        new = [target for target in documents if target in there and target.id not in known]
        Restriction.objects.bulk_create(
            [
                Restriction(
                    tenant_id=current_scope().tenant_id,
                    scope_id=there[target].scope_ids[0],
                    document_id=target.id,
                    because=because,
                    because_id=because_id,
                )
                for target in new
            ],
            ignore_conflicts=True,
        )
        if new:
            withdraw_documents([target.id for target in new])
        for target in new:
            _record(RESTRICTED, target.id, there[target].scope_ids, because, because_id)
    return [target for target in documents if target in there or target.id in known]


def lift(targets: Iterable[Target], because: Because, because_id: UUID) -> list[Target]:
    """Take back what restrict did for this reason, for the documents among the targets; another reason keeps its own.

    The database refuses it for a hold that is open. A document that is there for readers again had its place kept
    among its versions: one that was overtaken meanwhile comes back as superseded.

    Returns: those that nothing restricts any more; not in it: documents in scopes that are not open, which stay so.
    Costs:   three queries, and an event a document.
    """
    ids = {target.id for target in targets if target.type is TargetType.DOCUMENT}
    if not ids:
        return []
    with transaction.atomic():
        of_ours = _for(because, because_id).filter(document_id__in=ids, scope_id__in=current_scope().scope_ids)
        rows = {row.document_id: row for row in of_ours}
        _for(because, because_id).filter(document_id__in=rows).delete()
        still = restricted_among(rows)
        for document_id, row in sorted(rows.items()):
            _record(LIFTED, document_id, (row.scope_id,), because, because_id, still_restricted=document_id in still)
    return [Target(type=TargetType.DOCUMENT, id=id) for id in sorted(rows) if id not in still]


def restricted_among(document_ids: Iterable[UUID]) -> set[UUID]:
    """Of these documents, those that are restricted; none for who may not see restrictions. One query."""
    return set(Restriction.objects.filter(document_id__in=list(document_ids)).values_list("document_id", flat=True))


def reasons_of(document_id: UUID) -> dict[Because, list[UUID]]:
    """Why a document is restricted, by kind of reason; none for who may not see restrictions. One query."""
    found: dict[Because, list[UUID]] = defaultdict(list)
    for row in Restriction.objects.filter(document_id=document_id):
        found[Because(row.because)].append(row.because_id)
    return dict(found)


def _for(because: Because, because_id: UUID) -> QuerySet[Restriction]:
    rows: QuerySet[Restriction] = Restriction.objects.filter(because=because, because_id=because_id)
    return rows


def _record(
    action: str, document_id: UUID, scope_ids: Sequence[UUID], because: Because, because_id: UUID, **core: bool
) -> None:
    record(
        action=action,
        core={"because": str(because), "because_id": str(because_id), **core},
        subject_type="document",
        subject_id=document_id,
        scopes=[ScopeId(each) for each in scope_ids],
    )
