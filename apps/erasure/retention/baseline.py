"""Give a tenant the shipped retention rules as its first schedule, in force without anybody's approval."""

from __future__ import annotations

from django.db import transaction

from apps.erasure.models import RetentionSchedule, ScheduleOrigin, ScheduleStatus
from apps.erasure.retention.content import baseline_rules
from apps.erasure.retention.events import IN_FORCE
from apps.erasure.retention.selectors import schedule_in_force
from apps.erasure.retention.writing import insert_rules, next_number, record_step
from apps.tenants.context import current_scope, open_scope
from apps.tenants.models import Tenant

REASON = (
    "The rules that Glassbox ships: events are kept for as long as their class requires, documents for seven years "
    "after another version replaced them, and nothing has a latest date."
)


def give_baseline(tenant: Tenant) -> None:
    """Called in the transaction that creates the tenant, with its scope open: no tenant is ever without rules."""
    baseline_install()


def ensure_in_force() -> RetentionSchedule:
    """The schedule in force; for a tenant of an earlier release the baseline, written now in the platform's name."""
    found = schedule_in_force()
    if found is not None:
        return found
    with open_scope(tenant=current_scope().tenant_id, reason="give the tenant its retention baseline"):
        return baseline_install()


def baseline_install() -> RetentionSchedule:
    """Put the baseline in force as schedule 1 of the open tenant, as the system. One that has a schedule 1 keeps it."""
    context = current_scope()
    with transaction.atomic():
        # Two that find none at once take turns.
        if next_number() > 1:
            known: RetentionSchedule = RetentionSchedule.objects.get(number=1)
            return known
        schedule: RetentionSchedule = RetentionSchedule.objects.create(
            tenant_id=context.tenant_id, number=1, origin=ScheduleOrigin.BASELINE, reason=REASON
        )
        rules = baseline_rules()
        insert_rules(schedule, rules)
        schedule.status = ScheduleStatus.IN_FORCE
        schedule.save(update_fields=["status"])
        schedule.refresh_from_db()
        record_step(IN_FORCE, schedule, rules, before=None)
    return schedule
