"""End a request's erasure without a physical proof. Its run holds the rules (erasure/runs/unproven.py)."""

from __future__ import annotations

from uuid import UUID

from apps.erasure.runs.unproven import Unproven, unproven_agree, unproven_ask, unproven_take_back
from apps.privacy.codes.life import RequestState
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.selectors import erasure_request


def request_ask_without_proof(request_id: UUID, reason: Unproven, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Ask that the erasure may end without a physical proof.

    Args:   run_id, revision: the run that the caller read, and the revision of that run.
    Raises: RequestError: the request has no run, or another one; what unproven_ask raises.
    """
    unproven_ask(_run_of(request_id, run_id), reason, revision=revision)
    return erasure_request(request_id)


def request_keep_proof(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Take back what one asked for. Args, raises: as request_ask_without_proof; what unproven_take_back raises."""
    unproven_take_back(_run_of(request_id, run_id), revision=revision)
    return erasure_request(request_id)


def request_agree_without_proof(request_id: UUID, *, run_id: UUID, revision: int) -> ErasureRequest:
    """Agree that the erasure ends without a proof, as somebody else asked.

    Args, raises: as request_ask_without_proof; what unproven_agree raises.
    """
    unproven_agree(_run_of(request_id, run_id), revision=revision)
    return erasure_request(request_id)


def _run_of(request_id: UUID, read: UUID) -> UUID:
    """Return the id of the request's run, which never changes once it is approved."""
    request = erasure_request(request_id)
    if request.run_id is None:
        state = RequestState(request.state).label
        raise RequestError(
            "audit.request_step", reference=request.reference, state=state, step="ended without a physical proof"
        )
    if request.run_id != read:
        raise RequestError("audit.request_changed", reference=request.reference)
    run_id: UUID = request.run_id
    return run_id
