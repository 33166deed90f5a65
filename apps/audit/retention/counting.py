"""What the clock does about retention: it counts, every night, and removes nothing."""

from __future__ import annotations

from datetime import UTC

from django.utils import timezone

from apps.audit.models import RetentionCount
from apps.audit.retention.baseline import ensure_in_force
from apps.audit.retention.due import totals
from apps.audit.retention.events import COUNTED
from apps.audit.retention.selectors import rules_of
from apps.audit.services import record
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants


def count_all() -> None:
    """Of every tenant that was not erased: there is nothing to count there, and no schedule to count by."""
    for tenant in all_tenants():
        if tenant.is_erased:
            continue
        with open_scope(tenant=TenantId(tenant.id), reason="count what is due by the retention rules"):
            count_tenant()


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
