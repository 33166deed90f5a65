"""Decide on a proposal: a second person approves it or sends it back, or a privacy manager takes it back."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import RejectionReason, locked_run, run_approve, run_reject
from apps.privacy.codes.life import REQUESTS, RequestState
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

S = RequestState


def request_take_back(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Take back a proposal that waits for approval, so that it can be changed and proposed again.

    Args, raises: as request_approve.
    """
    require_manager()
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, name="take_back")
        run_reject(run.id, RejectionReason.WITHDRAWN, revision=run.revision)
    return erasure_request(request_id)


def request_approve(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Approve a proposal of another person. The erasure follows, and can't be undone.

    Args:   run_id, revision: the proposal and the revision of the request that the approver read; nothing else is
                approved.
    Raises: RequestError: nothing waits for approval, there is another proposal, or the request was changed;
            what run_approve raises, among others for the approver's own proposal.
    """
    current_scope().principal.require(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, name="approve")
        run_approve(run.id, revision=run.revision)
    return erasure_request(request_id)


def request_send_back(request_id: UUID, *, run_id: UUID, revision: int, reason: RejectionReason) -> ErasureRequest:
    """Reject a proposal: the request goes back to the privacy managers, who can propose it again.

    Raises: as request_approve.
    """
    current_scope().principal.require(Permission.PRIVACY_APPROVE)
    with transaction.atomic():
        run = _waiting_run(request_id, run_id=run_id, revision=revision, name="send_back")
        run_reject(run.id, reason, revision=run.revision)
    return erasure_request(request_id)


def locked_without_proposal(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Lock and return the request. If it waits for approval, reject its run, which also takes the request back.

    Locks the run before the request, in the same order as an approval. Raises: RequestError.
    """
    waiting = ErasureRequest.objects.filter(id=request_id, state=S.AWAITING_APPROVAL, revision=revision)
    run_id = waiting.values_list("run_id", flat=True).first()
    run = locked_run(run_id) if run_id is not None else None
    request = locked_request(request_id, revision=revision)
    if run is None:
        return request
    run_reject(run.id, RejectionReason.WITHDRAWN, revision=run.revision)
    return locked_request(request_id)


def _waiting_run(request_id: UUID, *, run_id: UUID, revision: int, name: str) -> RemovalRun:
    """Lock first the run and then the request, in the order that every step of a run uses, and return the run."""
    found = erasure_request(request_id)
    if found.state not in REQUESTS.sources(name) or found.run_id is None:
        done = REQUESTS.ways(name)[0].done
        raise RequestError("audit.request_step", reference=found.reference, state=S(found.state).label, step=done)
    if found.run_id != run_id:
        raise RequestError("audit.request_changed", reference=found.reference)
    run = locked_run(run_id)
    # If the request still has the revision that was read, it also still has that run.
    locked_request(request_id, revision=revision)
    return run
