"""Asking for a verification, by a person or by the clock: a row first, a Celery message second, a sweeper behind both.

Every verification is of the whole log. One "since" a checkpoint looks at no event before it, and so would not find an
old event that was altered: those are what somebody would alter. See the README for what a whole one takes.
"""

from __future__ import annotations

import logging
from datetime import UTC, date, datetime, time, timedelta
from typing import Final
from uuid import UUID

from django.db import IntegrityError, connection, transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.audit.models import Verification, VerificationState
from apps.audit.models.verification import MOVING
from apps.audit.services import record
from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.roles import Permission
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

RUN_VERIFICATION_TASK: Final = "apps.audit.tasks.run_verification"
REQUESTED_ACTION: Final = "audit.verification.requested"
# When the night's verification is due, in UTC.
NIGHT_AT: Final = time(2, 0)
# What has been sent and not begun is sent once more after this long; a message too many does no harm.
RESEND_AFTER: Final = timedelta(seconds=60)

_DUE: Final = """
    SELECT t.id FROM tenants_tenant t
     WHERE t.status = %(active)s AND (
           EXISTS (SELECT FROM audit_verification v
                    WHERE v.tenant_id = t.id AND (v.next_attempt_at IS NULL OR v.next_attempt_at <= %(now)s)
                      AND (v.state = 'waiting' OR v.state = 'running' AND v.lease_until <= %(now)s))
        OR t.created_at <= %(night_at)s
           AND NOT EXISTS (SELECT FROM audit_verification v
                            WHERE v.tenant_id = t.id AND (v.night = %(night)s OR v.state IN ('waiting', 'running'))))
     ORDER BY t.id
"""


def verification_request() -> Verification:
    """Have the open scope's log verified now. Returns: the row; one that waits or runs already is left as it is.

    Raises: PermissionDeniedError: who may neither see the log nor manage privacy; ValueError: the system asks, which
            has the clock for that.
    """
    principal = current_scope().principal
    if not principal.may(Permission.AUDIT_VIEW):
        principal.require(Permission.PRIVACY_MANAGE)
    if principal.id is None:
        raise ValueError("a verification is asked for by somebody, or by the clock")
    return _requested(started_by=principal.id)


def night_of(now: datetime) -> date:
    """The night that a verification by the clock belongs to: the newest that has begun."""
    return (now.astimezone(UTC) - timedelta(hours=NIGHT_AT.hour, minutes=NIGHT_AT.minute)).date()


def verification_sweep_all() -> int:
    """Have every active tenant verified once a night, and send again what waits unsent, or whose worker died.

    A night that was missed is caught up as soon as the clock goes again; of several, the last. A tenant's first is the
    night after it was made. Returns: how many were sent. Costs: one query, and three more for each that is due.
    """
    now = timezone.now()
    night = night_of(now)
    parameters: dict[str, str | date] = {
        "active": TenantStatus.ACTIVE.value,
        "now": now,
        "night": night,
        "night_at": datetime.combine(night, NIGHT_AT, UTC),
    }
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_DUE, parameters)
        due = [TenantId(row[0]) for row in cursor.fetchall()]
    for tenant_id in due:
        with open_scope(tenant=tenant_id, reason="verify the log once a night"):
            _sent_again(now) or _requested(night=night)
    return len(due)


def _sent_again(now: datetime) -> bool:
    """Whether one waits or runs; if it is due, it is sent."""
    verification: Verification | None = Verification.objects.filter(state__in=MOVING).first()
    if verification is None:
        return False
    is_free = Q(state=VerificationState.WAITING) | Q(state=VerificationState.RUNNING, lease_until__lte=now)
    is_due = Q(next_attempt_at__isnull=True) | Q(next_attempt_at__lte=now)
    mine = Verification.objects.filter(is_free, is_due, id=verification.id)
    if mine.update(next_attempt_at=now + RESEND_AFTER):
        _enqueue(verification)
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
                next_attempt_at=timezone.now() + RESEND_AFTER,
            )
            record(
                action=REQUESTED_ACTION,
                core={"night": None if night is None else night.isoformat()},
                subject_type="verification",
                subject_id=made.id,
            )
    except IntegrityError:
        # Somebody else was first: theirs is of the same log.
        first: Verification = moving.first() or Verification.objects.latest("requested_at")
        return first
    _enqueue(made)
    return made


def _enqueue(verification: Verification) -> None:
    arguments = [str(verification.tenant_id), str(verification.id)]
    transaction.on_commit(lambda: _send(arguments))


def _send(arguments: list[str]) -> None:
    # Imported here: it names Celery's settings, and this module is loaded while Django's are still being read.
    from config.celery import app

    try:
        app.send_task(RUN_VERIFICATION_TASK, args=arguments)
    except OperationalError as error:
        logger.warning("verification %s waits for the sweeper: the broker said %s", arguments[1], type(error).__name__)
