"""Doing without the physical proof of a request's erasure: by its run, which holds the rules (erasure/unproven.py)."""

from __future__ import annotations

from uuid import UUID

from apps.audit.erasure.unproven import Unproven, unproven_agree, unproven_ask, unproven_take_back
from apps.audit.models import ErasureRequest
from apps.audit.requests.errors import RequestStepError
from apps.audit.requests.life import RequestState
from apps.audit.requests.selectors import erasure_request


def request_ask_without_proof(request_id: UUID, reason: Unproven) -> ErasureRequest:
    """Ask that it ends without a physical proof. Raises: RequestStepError: it has no run; what unproven_ask raises."""
    unproven_ask(_run_of(request_id), reason)
    return erasure_request(request_id)


def request_keep_proof(request_id: UUID) -> ErasureRequest:
    """Take back what one asked. Raises: as request_ask_without_proof."""
    unproven_take_back(_run_of(request_id))
    return erasure_request(request_id)


def request_agree_without_proof(request_id: UUID) -> ErasureRequest:
    """Agree to what somebody else asked. Raises: RequestStepError; what unproven_agree raises."""
    unproven_agree(_run_of(request_id))
    return erasure_request(request_id)


def _run_of(request_id: UUID) -> UUID:
    request = erasure_request(request_id)
    if request.run_id is None:
        state = RequestState(request.state).label
        raise RequestStepError(reference=request.reference, state=state, step="ended without a physical proof")
    run_id: UUID = request.run_id
    return run_id
