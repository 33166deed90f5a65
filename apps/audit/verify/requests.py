"""Request a verification, as a person or on schedule: a row, then a Celery message, which the sweep of jobs repeats.

Every verification covers the whole log. A verification "since" a checkpoint reads no event before it, and so would not
find an old event that was altered, which is what an attacker would alter. The README says what a whole one costs.
"""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from apps.audit.models import Verification
from apps.audit.models.verification import MOVING
from apps.audit.services import record
from apps.audit.verify.statements import stated
from apps.sql_files import read_statements
from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import enqueue
from apps.tenants.roles import Permission
from apps.tenants.sweeping import Sweep, each_tenant
from apps.tenants.tokens import Identity

_SQL: Final = read_statements(__file__)
REQUESTED_ACTION: Final = "audit.verification.requested"
# When the night's verification is due, in UTC.
NIGHT_AT: Final = time(2, 0)

# A night's verification that is not trusted is repeated, but only after this time, since it reads the whole log.
_AGAIN_AFTER: Final = timedelta(hours=1)
# How many of a tenant's last verifications are read, which is more than there are in a day.
LOOKED_AT: Final = 20
_ALL: Final = _SQL["all"].format(looked_at=LOOKED_AT)


def verification_request() -> Verification:
    """Have the open scope's log verified now.

    Returns: the row; if one waits or runs already, that one, unchanged.
    Raises:  PermissionDeniedError: the principal may neither see the log nor manage privacy; ValueError: the system
             asks, which must use the schedule.
    """
    principal = current_scope().principal
    if not principal.may(Permission.AUDIT_VIEW):
        principal.require(Permission.PRIVACY_MANAGE)
    if principal.id is None:
        raise ValueError("a verification is asked for by somebody, or by the clock")
    return _requested(started_by=principal.id)


def night_of(now: datetime) -> date:
    """Return the night that a scheduled verification belongs to, which is the newest that has begun."""
    return (now.astimezone(UTC) - timedelta(hours=NIGHT_AT.hour, minutes=NIGHT_AT.minute)).date()


def verifications_request_due() -> int:
    """Have every tenant verified once a night.

    A missed night is made up for as soon as the schedule runs again; of several, only the last. A tenant's first night
    is the one after it was made. A suspended tenant is verified as well; an erased one only on request.

    Returns: how many were requested. Costs: one query, and three more for each that is due.
    """
    now = timezone.now()
    night = night_of(now)
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_ALL)
        every = cursor.fetchall()
    due = [TenantId(row[0]) for row in every if not row[2] and _is_due(row, night, now)]

    def request(tenant_id: TenantId) -> int:
        with open_scope(tenant=tenant_id, reason="verify the log once a night"):
            _requested(night=night)
            return 1

    return each_tenant(request, doing=Sweep.VERIFY, tenants=due)


def _is_due(row: tuple[UUID, datetime, bool, str], night: date, now: datetime) -> bool:
    """Return whether the night lacks a verification that is signed with the worker's key.

    A tenant whose row claims a creation time in the future does not count as too new.
    """
    tenant_id, created_at, _, told = row
    begun = datetime.combine(night, NIGHT_AT, UTC)
    if begun < created_at <= now:
        return False
    for each in json.loads(told):
        if each["night"] != night.isoformat():
            continue
        statement = stated(each["note"], tenant_id=tenant_id, now=now)
        if statement is not None and statement.at >= begun:
            return False
        ended = datetime.fromisoformat(each["at"])
        if now - _AGAIN_AFTER < ended <= now:
            return False
    return True


def _requested(*, started_by: UUID | None = None, night: date | None = None) -> Verification:
    moving = Verification.objects.filter(state__in=MOVING)
    found: Verification | None = moving.first()
    if found is not None:
        return found
    try:
        with transaction.atomic():
            made: Verification = Verification.objects.create(
                tenant_id=current_scope().tenant_id,
                started_by=started_by,
                night=night,
                next_attempt_at=timezone.now() + Verification.resend_after,
            )
            record(
                action=REQUESTED_ACTION,
                core={"night": None if night is None else night.isoformat()},
                subject_type="verification",
                subject_id=made.id,
            )
    except IntegrityError:
        # Another request was first, and its verification is of the same log.
        first: Verification = moving.first() or Verification.objects.latest("requested_at")
        return first
    enqueue(made)
    return made
