"""Keep a request's state in step with its removal run. The engine calls request_follows in the run's transactions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Outcome
from apps.erasure.contracts import RunState
from apps.privacy.codes.life import REQUESTS, RequestState
from apps.privacy.inventory.restricting import lift_after_erasure, lift_after_return, restrict_run
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.events import tell
from apps.tenants.context import current_scope

S = RequestState
# For each state of a run, the states that the request passes through, in order.
_FOLLOWING: Final[Mapping[RunState, tuple[RequestState, ...]]] = {
    RunState.EXECUTING: (S.EXECUTING,),
    RunState.VERIFYING: (S.VERIFYING,),
    RunState.COMPLETED: (S.VERIFYING, S.COMPLETED),
    RunState.PARTIALLY_COMPLETED: (S.VERIFYING, S.PARTIALLY_COMPLETED),
    RunState.FAILED: (S.FAILED,),
}
_ENDED: Final = (S.COMPLETED, S.PARTIALLY_COMPLETED)
# When an unfinished run resumes, the request changes only once the run executes.
_APPROVED_BEFORE: Final = (S.RESTRICTED, S.EXECUTING, S.FAILED, S.PARTIALLY_COMPLETED)
# The columns that the eraser may read: none of them describes a person.
_OF_A_RUN: Final = ("id", "tenant_id", "year", "number", "state", "due_on", "run_id", "purpose")


def request_follows(*, origin_id: UUID, run_id: UUID, state: RunState) -> None:
    """Update a request after its run changed state, in the run's transaction and the acting principal's scope."""
    rows = ErasureRequest.objects.select_for_update(no_key=True).only(*_OF_A_RUN)
    request: ErasureRequest | None = rows.filter(id=origin_id).first()
    # A run without a request changes none. request_propose records PROPOSED itself, once the run exists.
    if request is None or state is RunState.PROPOSED:
        return
    if request.run_id != run_id:
        raise RequestError(
            "audit.request_step", reference=request.reference, state=S(request.state).label, step="moved by another run"
        )
    if state is RunState.REJECTED:
        # A rejection applies to the request's current revision, which can't change because the row is locked here.
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
    if not REQUESTS.leads(before, to):
        raise RequestError(
            "audit.request_step", reference=request.reference, state=before.label, step=f"{to.label} by its run"
        )
    run_id = request.run_id
    values |= {"state": to.value, "finished_at": timezone.now() if to in _ENDED else None}
    for name, value in values.items():
        setattr(request, name, value)
    ErasureRequest.objects.filter(id=request.id).update(**values)
    outcome = Outcome.FAILED if to is S.FAILED else Outcome.SUCCESS
    tell(event, request, outcome=outcome, before=before.value, run_id=str(run_id))
