"""What a second person does with a proposal, and its way back: approved, sent back, taken back."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason, locked_run, run_approve, run_reject
from apps.privacy.codes.life import RequestState
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.errors import RequestChangedError, RequestStepError
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

S = RequestState


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
