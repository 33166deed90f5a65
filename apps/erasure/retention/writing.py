"""What every step of a schedule's life shares: its number, its rules as rows, its event."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import connection
from django.db.models import Max

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.erasure.models import RetentionRule, RetentionSchedule
from apps.erasure.retention.content import Rule, content_sha256
from apps.erasure.retention.errors import RetentionError
from apps.tenants.advisory import advisory_key
from apps.tenants.bulk import insert_rows
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal, PrincipalKind


def next_number() -> int:
    """The number of the tenant's next schedule; whoever asks meanwhile waits for this transaction."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(%s)", [advisory_key("retention number", current_scope().tenant_id)]
        )
    highest: int | None = RetentionSchedule.objects.aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def insert_rules(schedule: RetentionSchedule, rules: Iterable[Rule]) -> None:
    """Write the rules of a schedule that has none. One query."""
    insert_rows(
        RetentionRule,
        tenant_id=schedule.tenant_id,
        rows=({"schedule_id": schedule.id, **rule.as_row()} for rule in rules),
    )


def record_step(
    action: str,
    schedule: RetentionSchedule,
    rules: Iterable[Rule],
    *,
    before: Iterable[Rule] | None,
    outcome: Outcome = Outcome.SUCCESS,
) -> None:
    """before: the rules in force when the step was taken; None where there were none."""
    record(
        action=action,
        core={
            "number": schedule.number,
            "revision": schedule.revision,
            "origin": schedule.origin,
            "content_sha256": content_sha256(rules),
            "before_sha256": None if before is None else content_sha256(before),
        },
        outcome=outcome,
        subject_type="retention_schedule",
        subject_id=schedule.id,
    )


def require_person() -> Principal:
    """The open scope's principal, where it is a person. Raises RetentionError."""
    principal = current_scope().principal
    if principal.kind is not PrincipalKind.USER:
        raise RetentionError("audit.retention_person_needed")
    return principal


def require_reason(reason: str) -> str:
    """Raises RetentionError."""
    if not reason.strip():
        raise RetentionError("audit.retention_reason_needed")
    return reason.strip()
