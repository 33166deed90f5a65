"""What the clock does about retention: it counts, every night, and removes nothing."""

from __future__ import annotations

from datetime import UTC, date, time
from typing import Final

from django.utils import timezone

from apps.audit.services import record
from apps.erasure.models import RetentionCount
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.due import totals
from apps.erasure.retention.events import COUNTED
from apps.erasure.retention.selectors import rules_of
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants
from apps.tenants.sweeping import Sweep, each_tenant

COUNTED_AT: Final = time(2, 40)


def count_due_all() -> None:
    """Of every tenant that was not counted today yet, once the night's hour has come; one that was missed is caught up.

    One that says it was counted on a day to come was not counted today.
    """
    now = timezone.now().astimezone(UTC)
    if now.time() < COUNTED_AT:
        return
    there = [TenantId(tenant.id) for tenant in all_tenants() if not tenant.is_erased]
    each_tenant(lambda tenant_id: _count_once(tenant_id, now.date()), doing=Sweep.COUNT, tenants=there)


def count_all() -> None:
    """Of every tenant that was not erased: there is nothing to count there, and no schedule to count by."""
    there = [TenantId(tenant.id) for tenant in all_tenants() if not tenant.is_erased]
    each_tenant(_counted, doing=Sweep.COUNT, tenants=there)


def _count_once(tenant_id: TenantId, today: date) -> int:
    with open_scope(tenant=tenant_id, reason=Sweep.COUNT):
        if RetentionCount.objects.filter(counted_on=today).exists():
            return 0
        count_tenant()
    return 1


def _counted(tenant_id: TenantId) -> int:
    with open_scope(tenant=tenant_id, reason=Sweep.COUNT):
        count_tenant()
    return 1


def count_tenant() -> RetentionCount:
    """Keep what is due in the open tenant today, for the start page; within the open scope, as the system."""
    schedule = ensure_in_force()
    today = timezone.now().astimezone(UTC).date()
    found = totals(rules_of(schedule), on=today)
    counted: RetentionCount = RetentionCount.objects.create(
        tenant_id=current_scope().tenant_id,
        schedule=schedule,
        counted_on=today,
        may_remove=found.may_remove,
        must_remove=found.must_remove,
    )
    record(
        action=COUNTED,
        core={
            "number": schedule.number,
            "counted_for": today.isoformat(),
            "may_remove": found.may_remove,
            "must_remove": found.must_remove,
        },
        subject_type="retention_schedule",
        subject_id=schedule.id,
    )
    return counted
