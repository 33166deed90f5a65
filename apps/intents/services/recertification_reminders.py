"""Tell the owners of grants what waits for them: at the beginning, when an officer asks, and by the clock."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from apps.audit.services import record
from apps.intents.errors import RecertificationError
from apps.intents.events import RECERTIFICATION_REMINDED
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.notices import write_to_member
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.sweeping import Sweep, each_tenant

# From a week before the date on, and afterwards until it is closed, at most once in three days.
BEFORE: Final = timedelta(days=7)
AGAIN: Final = timedelta(days=3)


def remind_all_due() -> int:
    """Remind the owners in every tenant whose recertifications are near their date. Returns: how many were sent."""
    return each_tenant(remind_due, doing=Sweep.RECERTIFICATIONS)


def remind_due(tenant_id: TenantId) -> int:
    """Remind the owners of one tenant's recertifications that are near their date or past it."""
    with open_scope(tenant=tenant_id, reason="remind the owners of grants"):
        now = timezone.now()
        due = Recertification.objects.filter(closed_at__isnull=True, due_at__lte=now + BEFORE)
        found = due.filter(Q(reminded_at__isnull=True) | Q(reminded_at__lte=now - AGAIN))
        return sum(1 for each in found.select_for_update(skip_locked=True) if _remind(each))


def owners_remind(recertification_id: UUID) -> int:
    """Remind the owners now, as an officer. Returns: how many. Raises: PermissionDeniedError, RecertificationError."""
    scope = current_scope()
    scope.principal.require(Permission.POLICY_EDIT)
    with transaction.atomic():
        found = Recertification.objects.select_for_update().filter(id=recertification_id).first()
        if found is None:
            raise RecertificationError("intents.recertification_not_there")
        if found.closed_at is not None:
            raise RecertificationError("intents.recertification_closed")
        return _remind(found)


def announce(recertification: Recertification, owners: Iterable[UUID]) -> None:
    """Write to owners that grants wait for them, once the transaction is committed."""
    name = current_tenant().name
    for owner in sorted(set(owners)):
        write_to_member(
            owner,
            subject=f"Grants of {name} wait for your decision until {recertification.due_at:%d %B %Y}",
            body=(
                "You answer for grants of access. Confirm each one that is still needed, and end the others.\n\n"
                "Sign in, and open Policy, Recertifications.\n"
            ),
        )


def _remind(recertification: Recertification) -> int:
    waiting = list(
        CertifiedGrant.objects.filter(recertification=recertification, decision=GrantDecision.WAITING).values_list(
            "owner_id", flat=True
        )
    )
    owners = sorted(set(waiting))
    if not owners:
        return 0
    Recertification.objects.filter(id=recertification.id).update(reminded_at=timezone.now())
    record(
        action=RECERTIFICATION_REMINDED,
        core={
            "owner_ids": [str(each) for each in owners],
            "waiting": len(waiting),
            "is_overdue": timezone.now() > recertification.due_at,
        },
        subject_type="recertification",
        subject_id=recertification.id,
    )
    announce(recertification, owners)
    return len(owners)
