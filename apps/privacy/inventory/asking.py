"""Request an inventory: write a row, then queue a message for the worker; the sweep of jobs repeats a lost one."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.privacy.codes.inventory import InventoryState
from apps.privacy.codes.life import RequestState, label_of
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.events import tell
from apps.privacy.models import ErasureRequest, Inventory
from apps.privacy.requests.details import description_digest
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.tenants.leased_jobs import enqueue

REDACT_TASK: Final = "apps.privacy.tasks.redact_inventory"
ASSESSED: Final = (RequestState.ASSESSING, RequestState.INVENTORY_READY)
MOVING: Final = (InventoryState.WAITING, InventoryState.RUNNING)


def is_assessed(request: ErasureRequest) -> bool:
    """Return whether places may be searched and decided on now. For access this ends once the package is made."""
    return request.state in ASSESSED and not (request.is_access and request.state == RequestState.INVENTORY_READY)


def require_assessed(request: ErasureRequest) -> None:
    """Raise InventoryError unless the request is being assessed."""
    if not is_assessed(request):
        state = label_of(RequestState(request.state), is_access=request.is_access)
        raise InventoryError("audit.inventory_state", reference=request.reference, state=state)


def inventory_request(request_id: UUID) -> Inventory:
    """Have the whole tenant searched for the person of a request. A search that waits or runs is returned unchanged.

    Decisions stay: a place that is found again keeps its decision.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, InventoryError.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        if request.subject_type != SubjectType.DATA_SUBJECT:
            raise InventoryError(
                "audit.inventory_state", reference=request.reference, state=request.get_subject_type_display()
            )
        require_assessed(request)
        return search_again(request, person)


def search_again(request: ErasureRequest, person: UUID) -> Inventory:
    """Queue a search, in the open transaction with the request locked.

    The search begins once no redacted version of the request is being made.
    """
    moving: Inventory | None = Inventory.objects.filter(request=request, state__in=MOVING).first()
    if moving is not None:
        return moving
    made: Inventory = Inventory.objects.create(
        tenant_id=request.tenant_id,
        request=request,
        requested_by_id=person,
        description=description_digest(request),
        next_attempt_at=timezone.now() + Inventory.resend_after,
    )
    tell("requested", request, inventory_id=str(made.id))
    enqueue(made)
    return made
