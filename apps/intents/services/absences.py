"""Absences of reviewers: record one with its deputy, end it early, and say who deputises for whom.

No right follows from an absence. A deputy is a reviewer anyway, and gives one approval, their own. The database holds
the rules too (sql/absences.sql).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.services import record
from apps.intents.errors import AbsenceError, PersonNeededError
from apps.intents.events import ABSENCE_ENDED, ABSENCE_RECORDED
from apps.intents.models import Absence, PolicyVersion, VersionStatus
from apps.intents.services.drafts import require_person
from apps.tenants.context import current_scope
from apps.tenants.models import User
from apps.tenants.notices import holders_of, write_to_member
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant

BACKDATED: Final = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deputising:
    """Who deputises for whom, and until when; by their names."""

    deputy_id: UUID
    deputy: str
    absent_id: UUID
    absent: str
    until: datetime

    @property
    def sentence(self) -> str:
        return f"{self.absent} is away, and {self.deputy} deputises until {_in_letter(self.until)}."


def absence_record(
    *, begins_at: datetime, ends_at: datetime, deputy_id: UUID | None = None, member_id: UUID | None = None
) -> Absence:
    """Record an absence of the principal, or, by who manages members, of another reviewer; write to the deputy.

    Args:   member_id: whose; None for the principal's own.
    Raises: PermissionDeniedError, PersonNeededError; AbsenceError, with the field that it is about.
    """
    scope, person = current_scope(), require_person()
    member = member_id or person.id
    if member is None:
        raise PersonNeededError
    _require_may_write(member)
    with transaction.atomic():
        # Absences of a tenant take turns, as the database has them do.
        PolicyVersion.objects.select_for_update(no_key=True).filter(status=VersionStatus.ACTIVE).first()
        _require_sound(member, deputy_id, begins_at, ends_at)
        made: Absence = Absence.objects.create(
            tenant_id=scope.tenant_id,
            member_id=member,
            deputy_id=deputy_id,
            begins_at=begins_at,
            ends_at=ends_at,
            recorded_by_id=scope.principal.id,
        )
        made.refresh_from_db()
        _record(ABSENCE_RECORDED, made)
        if deputy_id is not None:
            _write_to_deputy(made, deputy_id)
    return made


def absence_end(absence_id: UUID) -> Absence:
    """End an absence now, as its own reviewer or as who manages members.

    Raises: PermissionDeniedError, PersonNeededError; AbsenceError: it is not there, or over.
    """
    require_person()
    with transaction.atomic():
        found: Absence | None = Absence.objects.filter(id=absence_id).first()
        if found is None:
            raise AbsenceError("intents.absence_not_there")
        _require_may_write(found.member_id)
        open_ones = Absence.objects.filter(id=found.id, ended_at__isnull=True, ends_at__gt=timezone.now())
        if not open_ones.update(ended_at=timezone.now(), ended_by_id=current_scope().principal.id):
            raise AbsenceError("intents.absence_over")
        found.refresh_from_db()
        _record(ABSENCE_ENDED, found)
    return found


def absences_to_come() -> QuerySet[Absence]:
    """Return the absences that run or are to come, the first to begin first."""
    now = timezone.now()
    return Absence.objects.filter(ended_at__isnull=True, ends_at__gt=now).order_by("begins_at", "id")


def deputising(*, author_id: UUID | None = None) -> tuple[Deputising, ...]:
    """Return who deputises for whom now. Whoever may not review any more neither is away nor deputises.

    Args: author_id: the author of a version, who deputises for nobody there.
    """
    reviewers = holders_of(Permission.POLICY_APPROVE)
    running = [
        each
        for each in absences_to_come().filter(begins_at__lte=timezone.now(), deputy_id__isnull=False)
        if {each.member_id, each.deputy_id} <= reviewers and author_id not in (each.member_id, each.deputy_id)
    ]
    names = names_of({each.member_id for each in running} | {each.deputy_id for each in running if each.deputy_id})
    return tuple(
        Deputising(
            deputy_id=each.deputy_id,
            deputy=names[each.deputy_id],
            absent_id=each.member_id,
            absent=names[each.member_id],
            until=each.ends_at,
        )
        for each in running
        if each.deputy_id is not None
    )


def names_of(people: Iterable[UUID]) -> dict[UUID, str]:
    """Return the names of accounts of the open tenant, by their ids."""
    return {each.id: str(each) for each in User.objects.filter(id__in=set(people))}


def _require_may_write(member_id: UUID) -> None:
    principal = current_scope().principal
    if member_id != principal.id or not principal.may(Permission.POLICY_APPROVE):
        principal.require(Permission.MEMBER_MANAGE)


def _require_sound(member_id: UUID, deputy_id: UUID | None, begins_at: datetime, ends_at: datetime) -> None:
    now = timezone.now()
    if begins_at < now - BACKDATED:
        raise AbsenceError("intents.absence_too_old", field="begins_at", days=BACKDATED.days)
    if ends_at <= max(begins_at, now):
        raise AbsenceError("intents.absence_ends_early", field="ends_at")
    reviewers = holders_of(Permission.POLICY_APPROVE)
    if member_id not in reviewers:
        raise AbsenceError("intents.absence_not_of_a_reviewer", field="member_id")
    if deputy_id is not None and (deputy_id == member_id or deputy_id not in reviewers):
        raise AbsenceError("intents.absence_deputy", field="deputy_id")
    own = Absence.objects.filter(member_id=member_id, begins_at__lt=ends_at, ends_at__gt=begins_at)
    if any(each.ended_at is None or each.ended_at > begins_at for each in own):
        raise AbsenceError("intents.absence_overlaps", field="begins_at")


def _record(action: str, absence: Absence) -> None:
    record(
        action=action,
        core={
            "user_id": str(absence.member_id),
            "deputy_id": str(absence.deputy_id) if absence.deputy_id else None,
            "since": absence.begins_at.isoformat(),
            "until": (absence.ended_at or absence.ends_at).isoformat(),
        },
        subject_type="absence",
        subject_id=absence.id,
    )


def _write_to_deputy(absence: Absence, deputy_id: UUID) -> None:
    name = names_of([absence.member_id])[absence.member_id]
    write_to_member(
        deputy_id,
        subject=f"You deputise for {name} of {current_tenant().name}",
        body=(
            f"{name} is away from {_in_letter(absence.begins_at)} until {_in_letter(absence.ends_at)}, and you "
            "deputise in reviews of policy versions. Your own role decides what you may do, and you approve for "
            "yourself alone.\n\nSign in, and open Policy, Waiting for review.\n"
        ),
    )


def _in_letter(at: datetime) -> str:
    return f"{at.astimezone(UTC):%d %b %Y %H:%M} UTC"
