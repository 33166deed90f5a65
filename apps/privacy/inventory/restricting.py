"""Keep documents out of use while a request concerns them (Article 18), over all scopes, and keep purges off them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.holds.locks import keep_holds_out
from apps.erasure.holds.restrictions import lift, restrict
from apps.erasure.models import Because, RemovalTarget, Restriction
from apps.erasure.runs.runs import target_of
from apps.erasure.runs.waiting import runs_take_up
from apps.privacy.codes.inventory import Decision
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.asking import require_assessed
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.selectors import hits_of
from apps.privacy.models import ErasureRequest, InventoryHit, InventoryTreatment
from apps.privacy.requests.services.stepping import locked_request, require_erasure, require_manager
from apps.privacy.requests.whole import whole_tenant
from apps.tenants.models import Scope

# In these states nothing is approved yet, so other runs do not remove what the request is about.
_UNDECIDED: Final = (
    RequestState.RECEIVED,
    RequestState.IDENTITY_PENDING,
    RequestState.ASSESSING,
    RequestState.INVENTORY_READY,
    RequestState.AWAITING_APPROVAL,
)
_ASKED_BY_RUNS: Final = (RunState.APPROVED, RunState.EXECUTING, RunState.FAILED)
_KEPT_OFF: Final = (TargetType.DOCUMENT, TargetType.EVENT_GROUP, TargetType.SCOPE)


def restrict_run(request_id: UUID, run_id: UUID) -> None:
    """Take the documents of a run out of use, in the open transaction, over all scopes."""
    rows = RemovalTarget.objects.filter(run_id=run_id, type=TargetType.DOCUMENT)
    with whole_tenant():
        restrict([target_of(row) for row in rows], Because.REQUEST, request_id)


def restrict_now(request_id: UUID) -> int:
    """Keep the documents that were found and are not cleared out of use while the request is assessed.

    For a request about one document, that document is kept out of use. Returns: how many documents.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, InventoryError.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_erasure(request)
        require_assessed(request)
        with whole_tenant():
            found = restrict(_concerned(request), Because.REQUEST, request.id)
        _marked(request, on=True)
        tell("restricted", request, documents=len(found))
    return len(found)


def lift_now(request_id: UUID) -> None:
    """Undo restrict_now. Documents that are being redacted stay out of use. Raises: as restrict_now."""
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        require_assessed(request)
        _marked(request, on=False)
        lift_after_return(request)
        tell("lifted", request)


def lift_after_return(request: ErasureRequest) -> None:
    """Put documents back into use after a proposal came back, except those being redacted or restricted on purpose."""
    with whole_tenant():
        if ErasureRequest.objects.filter(id=request.id, restricted_at__isnull=False).exists():
            stays = {target.id for target in _concerned(request)}
        else:
            asked = InventoryTreatment.objects.filter(request_id=request.id, asked_at__isnull=False)
            stays = set(asked.values_list("document_id", flat=True))
        lift([each for each in _restricted(request.id) if each.id not in stays], Because.REQUEST, request.id)


def lift_at_end(request: ErasureRequest) -> None:
    """Put documents back into use once the request has ended, and let purges go on that it had stopped."""
    with whole_tenant():
        there = _restricted(request.id)
        hits = InventoryHit.objects.filter(request_id=request.id).exclude(decision=Decision.CLEARED)
        about = {hit.target for hit in hits if hit.target is not None}
        lift(there, Because.REQUEST, request.id)
    subject = _subject(request)
    if targets := sorted(about | ({subject} if subject else set())):
        runs_take_up(targets)


def lift_after_erasure(request_id: UUID) -> None:
    """Lift the restrictions of a request after the eraser has removed its documents."""
    with whole_tenant():
        lift(_restricted(request_id), Because.REQUEST, request_id)


def kept_by_requests(targets: Sequence[Target]) -> Mapping[Target, str]:
    """Return the targets that open requests keep from removal; see apps.erasure.contracts.Obstacle.

    A request about a scope keeps that scope and those below it, and no document in it: what is removed meanwhile is
    gone when the request is carried out, and what is moved out of it is not (apps/corpus/services/move.py).

    Targets of a run that was approved for a request are not kept: two requests about one document want the same thing.
    """
    wanted = [target for target in targets if target.type in _KEPT_OFF]
    if not wanted:
        return {}
    keep_holds_out()
    ids = {target.id for target in wanted}
    open_requests = ErasureRequest.objects.filter(state__in=_UNDECIDED)
    found: dict[Target, str] = {}
    about = InventoryHit.objects.filter(target_id__any_of=ids, request_id__in=open_requests.values("id"))
    rows = about.exclude(decision=Decision.CLEARED).order_by("request_id")
    for request_id, type, id, part in rows.values_list("request_id", "target_type", "target_id", "target_part"):
        found.setdefault(Target(type=TargetType(type), id=id, part=part), f"request:{request_id}")
    subjects = open_requests.filter(subject_type=SubjectType.DOCUMENT, subject_id__any_of=ids)
    for request_id, id in subjects.values_list("id", "subject_id"):
        found.setdefault(Target(type=TargetType.DOCUMENT, id=id), f"request:{request_id}")
    found |= _scopes_asked_for(open_requests, wanted)
    kept = {target: found[target] for target in wanted if target in found}
    going = _of_approved_requests(kept) if kept else set()
    return {target: ground for target, ground in kept.items() if target not in going}


def _scopes_asked_for(open_requests: QuerySet[ErasureRequest], targets: Iterable[Target]) -> dict[Target, str]:
    """Return the scopes among the targets that an open request is about, or about one above them."""
    scopes = [target for target in targets if target.type is TargetType.SCOPE]
    asked = list(open_requests.filter(subject_type=SubjectType.SCOPE).values_list("id", "subject_id")) if scopes else []
    if not asked:
        return {}
    # Those above a scope need not be the caller's.
    with whole_tenant():
        above = dict(Scope.objects.values_list("id", "parent_id"))
    found = {}
    for target in scopes:
        lineage: set[UUID] = set()
        scope: UUID | None = target.id
        while scope is not None and scope not in lineage:
            lineage.add(scope)
            scope = above.get(scope)
        ground = next((f"request:{request_id}" for request_id, about in asked if about in lineage), "")
        if ground:
            found[target] = ground
    return found


def _of_approved_requests(targets: Iterable[Target]) -> set[Target]:
    rows = RemovalTarget.objects.filter(
        Q(run__origin=Origin.REQUEST, run__state__in=_ASKED_BY_RUNS),
        item_id__any_of={target.id for target in targets},
    )
    return {
        Target(type=TargetType(type), id=id, part=part)
        for type, id, part in rows.values_list("type", "item_id", "part")
    }


def _concerned(request: ErasureRequest) -> Sequence[Target]:
    subject = _subject(request)
    if subject is not None:
        return [subject]
    hits = hits_of(request).filter(target_type=TargetType.DOCUMENT).exclude(decision=Decision.CLEARED)
    ids = {id for id in hits.order_by().values_list("target_id", flat=True) if id is not None}
    return [Target(type=TargetType.DOCUMENT, id=id) for id in sorted(ids)]


def _subject(request: ErasureRequest) -> Target | None:
    if request.subject_type != SubjectType.DOCUMENT or request.subject_id is None:
        return None
    return Target(type=TargetType.DOCUMENT, id=request.subject_id)


def _restricted(request_id: UUID) -> Sequence[Target]:
    rows = Restriction.objects.filter(because=Because.REQUEST, because_id=request_id)
    return [Target(type=TargetType.DOCUMENT, id=id) for id in sorted(rows.values_list("document_id", flat=True))]


def _marked(request: ErasureRequest, *, on: bool) -> None:
    at = timezone.now() if on else None
    ErasureRequest.objects.filter(id=request.id).update(restricted_at=at)
    request.restricted_at = at
