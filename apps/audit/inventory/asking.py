"""Asking for an inventory: a row first, a message second, a sweeper behind both."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.audit.inventory.codes import InventoryState
from apps.audit.inventory.errors import InventoryStateError
from apps.audit.inventory.events import tell
from apps.audit.models import ErasureRequest, Inventory, InventoryTreatment
from apps.audit.requests.codes import SubjectType
from apps.audit.requests.details import description_digest
from apps.audit.requests.life import RequestState, label_of
from apps.audit.requests.services.stepping import locked_request, require_manager
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant, is_past
from apps.tenants.waiting import Count, Work

logger = logging.getLogger("glassbox.audit")

RUN_TASK: Final = "apps.audit.tasks.run_inventory"
REDACT_TASK: Final = "apps.audit.tasks.redact_inventory"
RESEND_AFTER: Final = timedelta(seconds=60)
ASSESSED: Final = (RequestState.ASSESSING, RequestState.INVENTORY_READY)
MOVING: Final = (InventoryState.WAITING, InventoryState.RUNNING)


def is_assessed(request: ErasureRequest) -> bool:
    """Whether places are found and decided on now: of a request for access, until its package is made of them."""
    return request.state in ASSESSED and not (request.is_access and request.state == RequestState.INVENTORY_READY)


def require_assessed(request: ErasureRequest) -> None:
    """Raises: InventoryStateError."""
    if not is_assessed(request):
        state = label_of(RequestState(request.state), is_access=request.is_access)
        raise InventoryStateError(reference=request.reference, state=state)


def inventory_request(request_id: UUID) -> Inventory:
    """Have the whole tenant searched for the person of a request. One that waits or runs is left as it is.

    What was decided stays decided: a place that is found again keeps its decision.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestNotFoundError, InventoryStateError.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        if request.subject_type != SubjectType.DATA_SUBJECT:
            raise InventoryStateError(reference=request.reference, state=request.get_subject_type_display())
        require_assessed(request)
        return search_again(request, person)


def search_again(request: ErasureRequest, person: UUID) -> Inventory:
    """In the open transaction, with the request locked. Begins once no redacted version of it is being made."""
    moving: Inventory | None = Inventory.objects.filter(request=request, state__in=MOVING).first()
    if moving is not None:
        return moving
    made: Inventory = Inventory.objects.create(
        tenant_id=request.tenant_id,
        request=request,
        requested_by_id=person,
        description=description_digest(request),
        next_attempt_at=timezone.now() + RESEND_AFTER,
    )
    tell("requested", request, inventory_id=str(made.id))
    send_later(RUN_TASK, request.tenant_id, made.id)
    return made


def send_later(task: str, tenant_id: UUID, id: UUID, *, after_s: int = 0) -> None:
    """Ids alone, when the transaction is through. What is lost is sent again by the sweep."""
    transaction.on_commit(_sender(task, [str(tenant_id), str(id)], after_s=after_s))


def inventory_sweep_all() -> int:
    """Send again what waits unsent, or whose worker died, in every tenant. Returns: how many messages."""
    seen = Count(Work.SEARCHES)
    sent = each_tenant(partial(_sweep, seen), doing=Sweep.SEARCHES)
    seen.note()
    return sent


def _sweep(seen: Count, tenant_id: TenantId) -> int:
    now = timezone.now()
    with open_scope(tenant=tenant_id, reason="search for a person again"):
        is_free = Q(state=InventoryState.WAITING) | (Q(state=InventoryState.RUNNING) & is_past("lease_until", now))
        is_due = Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)
        seen.add(Inventory.objects.filter(is_free).values_list("requested_at", flat=True))
        due = list(Inventory.objects.filter(is_free, is_due))
        for inventory in due:
            Inventory.objects.filter(id=inventory.id).update(next_attempt_at=now + RESEND_AFTER)
            send_later(RUN_TASK, tenant_id, inventory.id)
        asked = InventoryTreatment.objects.filter(
            is_past("asked_at", now - RESEND_AFTER), redacted_id__isnull=True, error_code=""
        )
        waiting = sorted(set(asked.values_list("request_id", flat=True)))
        for request_id in waiting:
            send_later(REDACT_TASK, tenant_id, request_id)
    return len(due) + len(waiting)


def _sender(task: str, arguments: list[str], *, after_s: int = 0) -> Callable[[], None]:
    def send() -> None:
        # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
        from config.celery import app

        try:
            app.send_task(task, args=arguments, countdown=after_s or None)
        except OperationalError as error:
            logger.warning("%s %s waits for the sweeper: %s", task, arguments[1], type(error).__name__)

    return send
