"""The life of a retention schedule: drafted by one person, decided on by another. The database holds it, too."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.models import Outcome
from apps.erasure.models import RetentionRule, RetentionSchedule, ScheduleOrigin, ScheduleStatus
from apps.erasure.retention import events
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.content import Rule, baseline_rule, content_sha256, ordered, problems
from apps.erasure.retention.errors import RetentionError, RetentionInvalidError, ScheduleChangedError
from apps.erasure.retention.flow import SCHEDULES
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.subjects import subjects
from apps.erasure.retention.writing import insert_rules, next_number, record_step, require_person, require_reason
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.flows.checks import require_permission, require_step
from apps.tenants.flows.table import Refusal, Step
from apps.tenants.notices import write_to_deciders
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant


def draft_start(*, reason: str) -> RetentionSchedule:
    """Begin a draft as a copy of the schedule in force, in one's own name.

    What has been registered since comes in with the rule that Glassbox ships; what is not registered any more is left
    out.

    Raises: PermissionDeniedError, RetentionError.
    """
    current_scope().principal.require(Permission.PRIVACY_MANAGE)
    person = require_person()
    with transaction.atomic():
        before = rules_of(ensure_in_force())
        known = subjects()
        held = [rule for rule in before if rule.subject in known]
        new = [baseline_rule(known[key]) for key in known.keys() - {rule.subject for rule in held if not rule.group}]
        schedule: RetentionSchedule = RetentionSchedule.objects.create(
            tenant_id=current_scope().tenant_id,
            number=next_number(),
            origin=ScheduleOrigin.DRAFT,
            reason=require_reason(reason),
            author_id=person.id,
            author_label=person.label[:255],
        )
        rules = ordered([*held, *new])
        insert_rules(schedule, rules)
        record_step(events.DRAFTED, schedule, rules, before=before)
    return schedule


def draft_save(schedule_id: UUID, *, rules: Sequence[Rule], reason: str, revision: int) -> RetentionSchedule:
    """Give a draft other rules.

    Args:   revision: of the draft that was changed.
    Raises: PermissionDeniedError, RetentionError;
            ScheduleChangedError: somebody (in another window) was quicker; RetentionInvalidError: with all that is
            wrong.
    """
    with transaction.atomic():
        schedule = _locked(schedule_id, "submit", revision)
        _require_valid(schedule, rules)
        RetentionRule.objects.filter(schedule_id=schedule.id).delete()
        insert_rules(schedule, rules)
        schedule.reason = require_reason(reason)
        schedule.revision += 1
        schedule.save(update_fields=["reason", "revision"])
        record_step(events.CHANGED, schedule, rules, before=_in_force())
    return schedule


def draft_submit(schedule_id: UUID, *, revision: int) -> RetentionSchedule:
    """Hand a draft to a second person. From here on it does not change.

    Args:   revision: of the draft that was read; what is handed in is another one, which the database counts.
    Raises: as draft_save; RetentionError. RetentionInvalidError also where more must be kept since it was saved.
    """
    with transaction.atomic():
        schedule = _locked(schedule_id, "submit", revision)
        rules, before = rules_of(schedule), _in_force()
        _require_valid(schedule, rules)
        if content_sha256(rules) == content_sha256(before):
            raise RetentionError("audit.retention_same", number=schedule.number)
        schedule.status = ScheduleStatus.IN_REVIEW
        schedule.submitted_at = timezone.now()
        schedule.save(update_fields=["status", "submitted_at"])
        schedule.refresh_from_db(fields=["revision"])
        record_step(events.SUBMITTED, schedule, rules, before=before)
        _announce(schedule)
    return schedule


def schedule_take_back(schedule_id: UUID, *, revision: int) -> RetentionSchedule:
    """Make one's own schedule in review a draft again. Raises as draft_save does."""
    with transaction.atomic():
        schedule = _locked(schedule_id, "take_back", revision)
        schedule.status = ScheduleStatus.DRAFT
        schedule.submitted_at = None
        schedule.save(update_fields=["status", "submitted_at"])
        record_step(events.TAKEN_BACK, schedule, rules_of(schedule), before=_in_force())
    return schedule


def draft_discard(schedule_id: UUID, *, revision: int) -> None:
    """Throw one's own draft away; its events stay. Raises as draft_save does."""
    with transaction.atomic():
        schedule = _locked(schedule_id, "submit", revision)
        record_step(events.DISCARDED, schedule, rules_of(schedule), before=_in_force())
        RetentionRule.objects.filter(schedule_id=schedule.id).delete()
        RetentionSchedule.objects.filter(id=schedule.id).delete()


def schedule_approve(schedule_id: UUID, *, revision: int, against: int, reason: str = "") -> RetentionSchedule:
    """Put a schedule in review in force at once, in one's own name; the one before ends at the same instant.

    Args:   revision, against: of the schedule that was read, and the number of the one in force then.
    Raises: PermissionDeniedError, RetentionError, ScheduleChangedError;
            RetentionInvalidError: what must be kept has become longer since it was submitted.
    """
    with transaction.atomic():
        schedule = _reviewed(schedule_id, "approve", revision, against)
        rules, before = rules_of(schedule), _in_force()
        _require_valid(schedule, rules)
        _decide(schedule, ScheduleStatus.IN_FORCE, reason)
        schedule.refresh_from_db()
        record_step(events.IN_FORCE, schedule, rules, before=before)
    return schedule


def schedule_reject(schedule_id: UUID, *, revision: int, against: int, reason: str) -> RetentionSchedule:
    """Refuse a schedule in review, for good. Raises as schedule_approve does; RetentionError."""
    said = require_reason(reason)
    with transaction.atomic():
        schedule = _reviewed(schedule_id, "reject", revision, against)
        _decide(schedule, ScheduleStatus.REJECTED, said)
        record_step(events.REJECTED, schedule, rules_of(schedule), before=_in_force(), outcome=Outcome.REFUSED)
    return schedule


def _require_valid(schedule: RetentionSchedule, rules: Sequence[Rule]) -> None:
    wrong = problems(rules)
    if wrong:
        raise RetentionInvalidError(number=schedule.number, problems=wrong)


def _in_force() -> tuple[Rule, ...]:
    return rules_of(ensure_in_force())


def _locked(schedule_id: UUID, step: str, revision: int) -> RetentionSchedule:
    """Return a schedule, locked, of which the person may take this step; who may submit a draft may change it."""
    require_permission(SCHEDULES, step)
    require_person()
    schedule: RetentionSchedule = RetentionSchedule.objects.select_for_update(no_key=True).get(id=schedule_id)
    require_step(SCHEDULES, schedule, step, refused=_refused, revision=revision)
    return schedule


def _reviewed(schedule_id: UUID, step: str, revision: int, against: int) -> RetentionSchedule:
    schedule = _locked(schedule_id, step, revision)
    # Locked, so that no other approval comes between what was read and what it takes the place of.
    in_force = RetentionSchedule.objects.select_for_update(no_key=True).get(status=ScheduleStatus.IN_FORCE)
    if in_force.number != against:
        raise ScheduleChangedError(number=schedule.number)
    return schedule


def _refused(schedule: RetentionSchedule, step: Step, because: Refusal) -> ApplicationError:
    match because:
        case Refusal.CHANGED:
            return ScheduleChangedError(number=schedule.number)
        case Refusal.OWN:
            return RetentionError("audit.retention_own", number=schedule.number)
        case Refusal.NOT_AUTHOR:
            return RetentionError("audit.retention_not_the_author", number=schedule.number)
        case _:
            status, wanted = schedule.get_status_display().lower(), ScheduleStatus(step.before[0]).label.lower()
            return RetentionError("audit.retention_state", number=schedule.number, status=status, wanted=wanted)


def _decide(schedule: RetentionSchedule, status: ScheduleStatus, reason: str) -> None:
    person = current_scope().principal
    schedule.status = status
    schedule.approver_id = person.id
    schedule.approver_label = person.label[:255]
    schedule.decided_at = timezone.now()
    schedule.decision_reason = reason.strip()
    # Locked, and the one that was read: see _reviewed.
    schedule.decided_revision = schedule.revision
    decided = ["approver_id", "approver_label", "decided_at", "decision_reason", "decided_revision"]
    schedule.save(update_fields=["status", *decided])


def _announce(schedule: RetentionSchedule) -> None:
    """Write to everybody of the tenant who may approve but the author, once the submission is committed."""
    write_to_deciders(
        permission=Permission.PRIVACY_APPROVE,
        author_id=schedule.author_id,
        subject=f"Retention schedule {schedule.number} of {current_tenant().name} waits for approval",
        body=(
            f"{schedule.author_label} has submitted retention schedule {schedule.number}. Another person must decide "
            "on it.\n\nSign in, and open Privacy, Retention.\n"
        ),
    )
