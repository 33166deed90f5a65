"""A request and its run of removals: proposed here, approved and carried out there (apps/audit/erasure).

The request follows its run, in the run's own transactions: the engine calls request_follows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.erasing import RemovalReason
from apps.audit.erasure.contracts import Origin, RunState, Target, TargetType
from apps.audit.erasure.expansion import expanded
from apps.audit.erasure.registry import stores
from apps.audit.erasure.runs import RejectionReason, locked_run, run_approve, run_propose, run_reject, target_of
from apps.audit.inventory.restricting import lift_after_erasure, lift_after_return, restrict_run
from apps.audit.inventory.whole import whole_tenant
from apps.audit.models import ErasureRequest, Outcome, RemovalRun, RemovalTarget
from apps.audit.requests.codes import SubjectType
from apps.audit.requests.errors import InventoryMissingError, RequestChangedError, RequestStepError
from apps.audit.requests.events import tell
from apps.audit.requests.life import RequestState, who_may
from apps.audit.requests.selectors import erasure_request
from apps.audit.requests.services.stepping import (
    change,
    locked_request,
    require_erasure,
    require_manager,
    require_step,
)
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

S = RequestState
_TARGETS: Final[Mapping[SubjectType, TargetType]] = {
    SubjectType.USER: TargetType.USER,
    SubjectType.DOCUMENT: TargetType.DOCUMENT,
    SubjectType.SCOPE: TargetType.SCOPE,
    SubjectType.TENANT: TargetType.TENANT,
}
# The states that a run's state brings a request to, one after the other.
_FOLLOWING: Final[Mapping[RunState, tuple[RequestState, ...]]] = {
    RunState.EXECUTING: (S.EXECUTING,),
    RunState.VERIFYING: (S.VERIFYING,),
    RunState.COMPLETED: (S.VERIFYING, S.COMPLETED),
    RunState.PARTIALLY_COMPLETED: (S.VERIFYING, S.PARTIALLY_COMPLETED),
    RunState.FAILED: (S.FAILED,),
}
_ENDED: Final = (S.COMPLETED, S.PARTIALLY_COMPLETED)
# Of an unfinished run that is taken up again, nothing changes for the request before it executes.
_APPROVED_BEFORE: Final = (S.RESTRICTED, S.EXECUTING, S.FAILED, S.PARTIALLY_COMPLETED)
_TO_BE_DECIDED: Final = (S.INVENTORY_READY, S.AWAITING_APPROVAL)
# What is named and little is out of use from its proposal on: an answer that quotes it meanwhile would be recorded, and
# is in no frozen target. A whole scope or tenant stays in use until somebody has approved.
_OUT_OF_USE_FROM_PROPOSAL: Final = (SubjectType.DATA_SUBJECT, SubjectType.DOCUMENT)
# The eraser sees these, and no word of a person.
_OF_A_RUN: Final = ("id", "tenant_id", "year", "number", "state", "due_on", "run_id", "purpose")


def request_take_back(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Take a proposal back that waits for approval: it can be changed, and proposed again. As request_approve."""
    require_manager()
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, step="taken back")
        run_reject(run.id, RejectionReason.WITHDRAWN, revision=run.revision)
    return erasure_request(request_id)


def request_approve(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Approve what somebody else proposed: it is erased, which can't be undone.

    Args:   run_id, revision: the proposal that was read, and the request's revision then: no other is approved.
    Raises: RequestStepError: nothing waits for approval; RequestChangedError: it is another proposal, or the request
            was changed; what run_approve raises (one's own proposal among them).
    """
    current_scope().principal.require(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, step="approved")
        run_approve(run.id, revision=run.revision)
    return erasure_request(request_id)


def request_send_back(request_id: UUID, *, run_id: UUID, revision: int, reason: RejectionReason) -> ErasureRequest:
    """Do not approve it: it is back with who manages privacy, and can be proposed again. Raises: as request_approve."""
    current_scope().principal.require(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, step="sent back")
        run_reject(run.id, reason, revision=run.revision)
    return erasure_request(request_id)


def _waiting_run(request_id: UUID, *, run_id: UUID, revision: int, step: str) -> RemovalRun:
    """Locked: the run first, and then the request, as whoever moves the run does it."""
    found = erasure_request(request_id)
    if found.state != S.AWAITING_APPROVAL or found.run_id is None:
        raise RequestStepError(reference=found.reference, state=S(found.state).label, step=step)
    if found.run_id != run_id:
        raise RequestChangedError(reference=found.reference)
    run = locked_run(run_id)
    # Of the revision that was read, it has that run still.
    locked_request(request_id, revision=revision)
    return run


def targets_of(request: ErasureRequest) -> tuple[Target, ...]:
    """What is erased where the subject alone says it. Raises: InventoryMissingError: for a person in documents."""
    type = _TARGETS.get(SubjectType(request.subject_type))
    if type is None or request.subject_id is None:
        raise InventoryMissingError(reference=request.reference)
    return (Target(type=type, id=request.subject_id),)


def request_propose(
    request_id: UUID,
    targets: Sequence[Target] | None = None,
    *,
    revision: int,
    staying: Sequence[Mapping[str, Any]] = (),
    redacted: Sequence[Mapping[str, Any]] = (),
) -> ErasureRequest:
    """Propose the erasure to a second person: its targets are frozen, and nothing is removed before they approve.

    Documents of a person's request, and a document that is the subject itself, are out of use from here on.

    Args:   revision: of the request that was read.
            targets: those that were found and confirmed; what follows from the subject where none are given. What goes
                along with them is added (apps/audit/erasure/expansion.py).
            staying, redacted: what was found of a person and stays, and documents that stay without: see RemovalRun.
    Raises: RequestChangedError, RequestStepError, InventoryMissingError; what run_propose raises.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        require_step(request, S.AWAITING_APPROVAL, step="proposed")
        run = run_propose(
            origin=Origin.REQUEST,
            origin_id=request.id,
            targets=all_that_goes(targets or targets_of(request)),
            reason=RemovalReason.ERASURE_REQUEST,
            staying=staying,
            redacted=redacted,
        )
        if request.subject_type in _OUT_OF_USE_FROM_PROPOSAL:
            restrict_run(request.id, run.id)
        return change(
            request,
            "proposed",
            to=S.AWAITING_APPROVAL,
            told={"run_id": str(run.id)},
            run_id=run.id,
            proposed_by_id=person,
            proposed_at=timezone.now(),
        )


def all_that_goes(targets: Sequence[Target]) -> tuple[Target, ...]:
    """The targets with what goes along with them, over all scopes, whoever proposes."""
    with whole_tenant():
        return expanded(targets)


def inventory(request: ErasureRequest) -> Sequence[tuple[str, int]]:
    """What every store holds of it now, by the store's name; only those that hold something.

    Of a request that was proposed, by its frozen targets; before that, of one whose subject says what goes. Costs: a
    query or a few for each store.
    """
    if request.state not in _TO_BE_DECIDED:
        return ()
    with whole_tenant():
        if request.run_id is not None:
            targets = [target_of(row) for row in RemovalTarget.objects.filter(run_id=request.run_id)]
        elif request.subject_type == SubjectType.DATA_SUBJECT:
            return ()
        else:
            targets = list(expanded(targets_of(request)))
        counted = [(store.label, store.count(targets)) for store in stores()]
    return tuple((label, count) for label, count in counted if count)


def locked_without_proposal(request_id: UUID, *, revision: int) -> ErasureRequest:
    """The request, locked; where it waited for approval, it waits no more: the run is rejected, and it follows that.

    The run is locked before the request, as whoever approves does it. Raises: RequestChangedError.
    """
    waiting = ErasureRequest.objects.filter(id=request_id, state=S.AWAITING_APPROVAL, revision=revision)
    run_id = waiting.values_list("run_id", flat=True).first()
    run = locked_run(run_id) if run_id is not None else None
    request = locked_request(request_id, revision=revision)
    if run is None:
        return request
    run_reject(run.id, RejectionReason.WITHDRAWN, revision=run.revision)
    return locked_request(request_id)


def request_follows(*, origin_id: UUID, run_id: UUID, state: RunState) -> None:
    """The engine's listener: within the run's own transaction, in the scope of whoever moves it."""
    rows = ErasureRequest.objects.select_for_update(no_key=True).only(*_OF_A_RUN)
    request: ErasureRequest | None = rows.filter(id=origin_id).first()
    # A run that was proposed for no request has nobody to follow it. PROPOSED is said by request_propose itself, once
    # the run is there.
    if request is None or state is RunState.PROPOSED:
        return
    if request.run_id != run_id:
        raise RequestStepError(reference=request.reference, state=S(request.state).label, step="moved by another run")
    if state is RunState.REJECTED:
        # Whoever rejects the run decides on the request as it stands: it is locked here.
        back = {"run_id": None, "proposed_by_id": None, "proposed_at": None, "decided_revision": request.revision}
        _follow(request, S.INVENTORY_READY, "returned", **back)
        lift_after_return(request)
    elif state is RunState.APPROVED:
        if request.state not in _APPROVED_BEFORE:
            approver = current_scope().principal.id
            said = {"approved_by_id": approver, "approved_at": timezone.now(), "decided_revision": request.revision}
            _follow(request, S.RESTRICTED, "restricted", **said)
            restrict_run(request.id, run_id)
    else:
        for to in _FOLLOWING[state]:
            _follow(request, to, to.value)
        if state is RunState.COMPLETED:
            lift_after_erasure(request.id)


def _follow(request: ErasureRequest, to: RequestState, event: str, **values: Any) -> None:
    before = S(request.state)
    if before is to:
        return
    if who_may(before, to) is None:
        raise RequestStepError(reference=request.reference, state=before.label, step=f"{to.label} by its run")
    run_id = request.run_id
    values |= {"state": to.value, "finished_at": timezone.now() if to in _ENDED else None}
    for name, value in values.items():
        setattr(request, name, value)
    ErasureRequest.objects.filter(id=request.id).update(**values)
    outcome = Outcome.FAILED if to is S.FAILED else Outcome.SUCCESS
    tell(event, request, outcome=outcome, before=before.value, run_id=str(run_id))
