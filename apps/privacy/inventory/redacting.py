"""Make redacted versions: the old version goes out of use at once, and the worker makes the new one.

Nothing is removed here. Where a redacted version can't be made, the old version stays out of use, and an error code
says why.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.models import Outcome
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.models import Because
from apps.errors import ApplicationError
from apps.privacy.codes.inventory import Treatment
from apps.privacy.inventory.asking import REDACT_TASK, require_assessed, search_again
from apps.privacy.inventory.documents import redact_document, redacted_states, restart_redaction
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.replaced import is_unasked
from apps.privacy.inventory.selectors import confirmed_documents, open_in, require_hits, spots_of
from apps.privacy.inventory.where import where_of
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
from apps.privacy.requests.services.stepping import locked_request, require_erasure, require_manager
from apps.privacy.requests.whole import whole_tenant
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import send_later
from apps.tenants.sweeping import Sweep, each_tenant
from apps.tenants.waits import is_past

logger = logging.getLogger("glassbox.audit")

_REASON: Final = "make a redacted version for an erasure request"
CRASHED: Final = "audit.redaction_crashed"
_MOST_NAMED: Final = 5  # documents that an error names


def redactions_prepare(request_id: UUID, *, revision: int) -> int:
    """Have redacted versions made of all documents chosen for redaction, and retry those that failed.

    From here on the old versions are hidden from retrieval and from every reader. Nothing is removed. Once the new
    versions are ready, the whole tenant is searched again automatically, so that what they still hold about the person
    is found and waits for a decision like every other place.

    Args:    revision: the revision of the request that the caller read.
    Returns: how many are being made.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError, InventoryError: also where a place in
            one of the documents is still open, so nothing is made. Retried versions are not checked, since they were
            made from complete decisions.
    """
    person = require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        require_assessed(request)
        require_hits(request)
        failed, unasked = _waiting(request)
        if left := open_in(request, [each.document_id for each in unasked]):
            raise _open_error(left)
        for each in failed:
            if each.redacted_id is not None:
                restart_redaction(each.redacted_id)
        for each in unasked:
            each.asked_at, each.redacted_id, each.error_code = timezone.now(), None, ""
            each.chosen_by_id = person
            each.save(update_fields=["asked_at", "redacted_id", "error_code", "chosen_by_id"])
        if asked := [*failed, *unasked]:
            targets = [Target(type=TargetType.DOCUMENT, id=each.document_id) for each in asked]
            restrict(targets, Because.REQUEST, request.id)
            tell("redaction_asked", request, documents=len(asked))
            search_again(request, person)
            send_later(REDACT_TASK, request.tenant_id, request.id)
    return len(asked)


def open_where_asked(request: ErasureRequest) -> Mapping[UUID, Sequence[InventoryHit]]:
    """Return the open places, by document, because of which redactions_prepare would raise InventoryError now."""
    _, unasked = _waiting(request)
    return open_in(request, [each.document_id for each in unasked])


def _waiting(request: ErasureRequest) -> tuple[Sequence[InventoryTreatment], Sequence[InventoryTreatment]]:
    """Return the treatments whose redacted version failed, and those with no redacted version requested or left."""
    confirmed = set(confirmed_documents(request))
    chosen = list(InventoryTreatment.objects.filter(request=request, treatment=Treatment.REDACT))
    with whole_tenant():
        states = redacted_states([each.redacted_id for each in chosen if each.redacted_id])
    failed = [each for each in chosen if each.redacted_id in states and states[each.redacted_id].is_failed]
    return failed, [each for each in chosen if each.document_id in confirmed and is_unasked(each, states)]


def _open_error(left: Mapping[UUID, Sequence[InventoryHit]]) -> InventoryError:
    count = sum(map(len, left.values()))
    shown = [f"document {id}: {', '.join(dict.fromkeys(map(where_of, hits)))}" for id, hits in sorted(left.items())]
    more = len(shown) - _MOST_NAMED
    where = "; ".join([*shown[:_MOST_NAMED], *([f"and {more} more"] if more > 0 else [])])
    places = f"{count} place{'s' * (count != 1)}"
    return InventoryError(
        "audit.inventory_redaction_open", places=places, are="are" if count != 1 else "is", where=where
    )


def are_being_made(request_id: UUID) -> bool:
    """Return whether a redacted version of the request is still being made. Reads the open scope; costs two queries.

    A version that has failed, or that somebody removed, is not being made, so nothing waits for it.
    """
    asked = InventoryTreatment.objects.filter(request_id=request_id, treatment=Treatment.REDACT, asked_at__isnull=False)
    rows = list(asked.filter(error_code=""))
    states = redacted_states([each.redacted_id for each in rows if each.redacted_id])
    moving = {None, *(id for id, state in states.items() if not (state.is_ready or state.is_failed))}
    return any(each.redacted_id in moving for each in rows)


def redactions_make(*, tenant_id: TenantId, request_id: UUID) -> int:
    """Make the requested redacted versions, in the worker. Safe to call twice. Returns: how many were made now."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        waiting = InventoryTreatment.objects.filter(
            request_id=request_id, treatment=Treatment.REDACT, asked_at__isnull=False, redacted_id__isnull=True
        )
        ids = list(waiting.filter(error_code="").values_list("id", flat=True))
    return sum(_make(tenant_id, id) for id in ids)


def redactions_send_again() -> int:
    """Send again, in every tenant, redacted versions that were requested and are not made. Returns: messages sent."""
    return each_tenant(_send_again, doing=Sweep.REDACTIONS)


def _send_again(tenant_id: TenantId) -> int:
    with open_scope(tenant=tenant_id, reason=_REASON):
        asked = InventoryTreatment.objects.filter(
            is_past("asked_at", timezone.now() - Inventory.resend_after), redacted_id__isnull=True, error_code=""
        )
        waiting = sorted(set(asked.values_list("request_id", flat=True)))
        for request_id in waiting:
            send_later(REDACT_TASK, tenant_id, request_id)
    return len(waiting)


def _make(tenant_id: TenantId, treatment_id: UUID) -> bool:
    code = ""
    try:
        with open_scope(tenant=tenant_id, reason=_REASON):
            row = _locked(treatment_id)
            if row is None or row.redacted_id is not None or not row.is_asked:
                return False
            made = redact_document(row.document_id, spots_of(row.request, row.document_id))
            row.redacted_id = made
            row.save(update_fields=["redacted_id"])
            tell("redacted", row.request, document_id=str(row.document_id), redacted_id=str(made))
    except ApplicationError as error:
        code = error.code
    except Exception as error:  # noqa: BLE001 - it is written down, without its message, which may quote a row
        logger.error("redaction %s failed: %s", treatment_id, type(error).__name__)  # noqa: TRY400
        code = CRASHED
    if code:
        _fail(tenant_id, treatment_id, code)
    return not code


def _fail(tenant_id: TenantId, treatment_id: UUID, code: str) -> None:
    with open_scope(tenant=tenant_id, reason=_REASON):
        row = _locked(treatment_id)
        if row is not None and row.redacted_id is None:
            row.error_code = code
            row.save(update_fields=["error_code"])
            request: ErasureRequest = row.request
            tell(
                "redaction_failed",
                request,
                outcome=Outcome.FAILED,
                document_id=str(row.document_id),
                error_code=code,
            )


def _locked(treatment_id: UUID) -> InventoryTreatment | None:
    rows = InventoryTreatment.objects.select_for_update(no_key=True, of=("self",)).select_related("request")
    found: InventoryTreatment | None = rows.filter(id=treatment_id).first()
    return found
