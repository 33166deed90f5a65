"""Receive a request, and change what is known of the person that it is about."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from apps.audit.ids import new_id
from apps.erasure.holds.locks import keep_removals_out
from apps.privacy.codes.life import RequestState, can_end, label_of
from apps.privacy.codes.requests import Language, Purpose, Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.deadlines import first_deadline, received_date
from apps.privacy.requests.details import Details, sealed_details
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.stepping import change, locked_request, require_manager
from apps.privacy.requests.subjects import require_subject
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope

# Clocks differ a little; the database allows five minutes.
_CLOCK_DIFFERENCE: Final = timedelta(minutes=1)


def request_receive(
    *,
    purpose: Purpose = Purpose.ERASURE,
    subject_type: SubjectType,
    subject_id: UUID | None = None,
    requester: Requester,
    language: Language = Language.ENGLISH,
    received_at: datetime | None = None,
    details: Details,
) -> ErasureRequest:
    """Record a new request and compute its deadline.

    Args:   purpose: access is only for people who are named in documents.
            subject_id: the id of a user, document or scope; ignored for a person in documents and for the tenant.
            received_at: when the request reached the firm; by default now.
            details: what describes the person and the requester. They are sealed and appear in no event.
    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError.
    """
    person = require_manager()
    if purpose is Purpose.ACCESS and subject_type is not SubjectType.DATA_SUBJECT:
        raise RequestError("audit.access_subject")
    tenant, now = current_scope().tenant_id, timezone.now()
    if subject_type is SubjectType.DATA_SUBJECT:
        subject_id = None
        if not details.describes_somebody:
            raise RequestError("audit.request_subject_undescribed")
    elif subject_type is SubjectType.TENANT:
        subject_id = tenant
    require_subject(subject_type, subject_id)
    at = received_at or now
    if at > now + _CLOCK_DIFFERENCE:
        raise RequestError("audit.request_receipt_in_future")
    zone: str = settings.GLASSBOX_LEGAL_TIME_ZONE
    received_on = received_date(at, zone)
    due_on = first_deadline(received_on).due_on
    with transaction.atomic():
        if subject_type in (SubjectType.DOCUMENT, SubjectType.SCOPE):
            # After this lock, a purge of the document or a move out of the scope has ended, or will find this request.
            keep_removals_out()
        id = new_id()
        sealed, key_id = sealed_details(details, request_id=id)
        request: ErasureRequest = ErasureRequest.objects.create(
            id=id,
            tenant_id=tenant,
            year=received_on.year,
            number=_next_number(tenant, received_on.year),
            purpose=purpose.value,
            state=RequestState.RECEIVED.value,
            subject_type=subject_type.value,
            subject_id=subject_id,
            requester=requester.value,
            language=language.value,
            received_at=at,
            zone=zone,
            received_on=received_on,
            first_due_on=due_on,
            due_on=due_on,
            received_by_id=person,
            data_key_id=key_id,
            details=sealed,
        )
        tell("received", request, subject_type=request.subject_type)
    return request


def request_describe(request_id: UUID, *, details: Details, seen: bytes | None = None) -> ErasureRequest:
    """Replace what is known of the person and of the requester.

    Args:   seen: the sealed details that the writer was shown; nothing is saved if they have changed since.
    Raises: RequestError: the request waits for approval, is approved or finished, or its access package is made,
            or the details are not enough.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        state = RequestState(request.state)
        made = request.is_access and state is RequestState.INVENTORY_READY
        if not can_end(state) or state is RequestState.AWAITING_APPROVAL or made:
            label = label_of(state, is_access=request.is_access)
            raise RequestError("audit.request_step", reference=request.reference, state=label, step="described anew")
        if seen is not None and seen != bytes(request.details):
            raise RequestError("audit.request_changed", reference=request.reference)
        if request.subject_type == SubjectType.DATA_SUBJECT and not details.describes_somebody:
            raise RequestError("audit.request_subject_undescribed")
        return change(request, "described", details=details)


def _next_number(tenant: UUID, year: int) -> int:
    """Return the next number of the tenant in this year.

    Of two concurrent transactions, the second waits until the first ends. Numbers have no gaps, and reveal nothing
    about other tenants.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("erasure request", tenant, year)])
    highest = ErasureRequest.objects.filter(year=year).aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1
