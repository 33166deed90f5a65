"""What every step of a request shares: check who takes it, lock the row, change the state as codes/life.py allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from apps.privacy.codes.life import REQUESTS, RequestState, label_of
from apps.privacy.codes.requests import SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import Details, resealed_details
from apps.privacy.requests.errors import RequestError, RequestPersonNeededError
from apps.privacy.requests.events import tell
from apps.tenants.context import current_scope
from apps.tenants.flows import checks
from apps.tenants.flows.table import Refusal, Step
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission


def require_manager() -> UUID:
    """Return the id of the acting person, who must manage privacy.

    Raises: PermissionDeniedError, RequestPersonNeededError.
    """
    principal = current_scope().principal
    principal.require(Permission.PRIVACY_MANAGE)
    if principal.kind is not PrincipalKind.USER or principal.id is None:
        raise RequestPersonNeededError
    return principal.id


def locked_request(request_id: UUID, *, revision: int | None = None) -> ErasureRequest:
    """Lock and return a request.

    Args:   revision: the revision that the caller read; None skips this check.
    Raises: RequestError: there is no such request, or it has another revision by now.
    """
    rows = ErasureRequest.objects.select_for_update(no_key=True)
    found: ErasureRequest | None = rows.filter(id=request_id).first()
    if found is None:
        raise RequestError("audit.request_not_found", request=request_id)
    if revision not in (None, found.revision):
        raise RequestError("audit.request_changed", reference=found.reference)
    return found


def require_step(request: ErasureRequest, name: str) -> None:
    """Require that the acting person may take this step of the request now (codes/life.py).

    Raises: PermissionDeniedError, RequestError.
    """
    checks.require_step(REQUESTS, request, name, refused=_refused)


def steps_of(request: ErasureRequest, principal: Principal) -> Mapping[str, Step]:
    """Return the steps that a page or an answer of the API offers the principal, by name.

    For a person in documents, an assessment leads to the search for every place, and the proposal ends that.
    """
    offered = dict(checks.steps_offered(REQUESTS, request, principal))
    if "assess" in offered and request.subject_type == SubjectType.DATA_SUBJECT:
        offered["assess"] = replace(offered["assess"], after=RequestState.ASSESSING)
        if request.ground:
            (offered["propose"],) = REQUESTS.ways("propose")
    return offered


def _refused(request: ErasureRequest, step: Step, because: Refusal) -> RequestError:
    state = label_of(RequestState(request.state), is_access=request.is_access)
    return RequestError("audit.request_step", reference=request.reference, state=state, step=step.done)


def require_erasure(request: ErasureRequest) -> None:
    """Raise RequestError if the request asks for access, which never removes, restricts or redacts anything."""
    if request.is_access:
        raise RequestError("audit.request_is_for_access", reference=request.reference)


def require_access(request: ErasureRequest) -> None:
    """Raise RequestError if the request asks for erasure, which produces no access package."""
    if not request.is_access:
        raise RequestError("audit.request_is_for_erasure", reference=request.reference)


def require_words(words: str) -> str:
    """Return the words without surrounding spaces. Raises: RequestError: there are none."""
    if not words.strip():
        raise RequestError("audit.request_words_missing")
    return words.strip()


def change(
    request: ErasureRequest,
    event: str,
    *,
    to: RequestState | None = None,
    details: Details | None = None,
    told: dict[str, Any] | None = None,
    **values: Any,
) -> ErasureRequest:
    """Write the row and its event. Args: event: its action after the prefix; told: additional core fields."""
    before = request.state
    if to is not None:
        values["state"] = to.value
    if details is not None:
        values["details"] = resealed_details(request, details)
    for name, value in values.items():
        setattr(request, name, value)
    ErasureRequest.objects.filter(id=request.id).update(**values)
    # The database counts the revision.
    request.refresh_from_db(fields=["revision"])
    tell(event, request, before=before, **(told or {}))
    return request
