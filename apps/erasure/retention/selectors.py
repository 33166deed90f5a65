"""Reading schedules: which rules are in force, and were on a day."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

from django.db.models import Q

from apps.erasure.models import RetentionCount, RetentionRule, RetentionSchedule, ScheduleStatus
from apps.erasure.retention.content import Rule, ordered


def schedule_in_force() -> RetentionSchedule | None:
    """None for a tenant of an earlier release, until the clock or the first draft gives it the baseline."""
    found: RetentionSchedule | None = RetentionSchedule.objects.filter(status=ScheduleStatus.IN_FORCE).first()
    return found


def schedule_on(day: date) -> RetentionSchedule | None:
    """The one that was in force when the day ended (UTC); None for a day before the first."""
    end = datetime.combine(day + timedelta(days=1), time.min, tzinfo=UTC)
    found: RetentionSchedule | None = (
        RetentionSchedule.objects.filter(valid_from__lt=end).filter(Q(valid_to__isnull=True) | Q(valid_to__gte=end))
    ).first()
    return found


def rules_of(schedule: RetentionSchedule) -> tuple[Rule, ...]:
    """One query."""
    return ordered(
        Rule(
            subject=row.subject,
            group=row.group,
            legal_basis=row.legal_basis,
            clock_start=row.clock_start,
            keep_months=row.keep_months,
            remove_months=row.remove_months,
            includes_current=row.includes_current,
        )
        for row in RetentionRule.objects.filter(schedule_id=schedule.id)
    )


def latest_count() -> RetentionCount | None:
    """What the clock found last; None before its first night."""
    found: RetentionCount | None = RetentionCount.objects.select_related("schedule").first()
    return found


def waiting_for(person_id: UUID | None) -> int:
    """How many schedules wait for a decision that this person could take, as far as who wrote them goes."""
    in_review = RetentionSchedule.objects.filter(status=ScheduleStatus.IN_REVIEW)
    return in_review.exclude(author_id=person_id).count()
