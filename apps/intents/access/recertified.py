"""Read recertifications: how far each is, and its grants with the names of their holders, owners and scopes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from django.utils import timezone

from apps.intents.access.facts import KEY_MARK
from apps.intents.errors import RecertificationError
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.tenants.context import current_scope
from apps.tenants.models import ApiKey, Grant, User
from apps.tenants.roles import Permission, Role


class RecertificationState(StrEnum):
    """OVERDUE: grants wait although the date has passed."""

    OPEN = "open"
    OVERDUE = "overdue"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a recertification is, by the grants that the reader may see. hidden: how many more there are."""

    recertification: Recertification
    waiting: int
    confirmed: int
    ended: int
    hidden: int

    @property
    def is_open(self) -> bool:
        return self.recertification.closed_at is None

    @property
    def is_overdue(self) -> bool:
        return self.is_open and self.waiting > 0 and timezone.now() > self.recertification.due_at

    @property
    def state(self) -> RecertificationState:
        if not self.is_open:
            return RecertificationState.CLOSED
        return RecertificationState.OVERDUE if self.is_overdue else RecertificationState.OPEN

    @property
    def decided(self) -> int:
        return self.confirmed + self.ended


@dataclass(frozen=True, slots=True, kw_only=True)
class CertifiedLine:
    """One grant as a page shows it. since: when it began, None if its row is gone. is_late: decided after the date."""

    row: CertifiedGrant
    who: str
    role: str
    scope: str
    owner: str
    decider: str
    since: datetime | None
    still_valid: bool
    is_late: bool

    @property
    def decision(self) -> str:
        if not self.row.decision and self.row.recertification.closed_at is not None:
            return "Not decided"
        return GrantDecision(self.row.decision).label


def sees_all(recertification: Recertification) -> bool:
    """Return whether the acting principal reads the whole of it: officers and who reads the log; others, their part."""
    principal = current_scope().principal
    return principal.may(Permission.POLICY_EDIT) or principal.may(Permission.AUDIT_VIEW)


def recertification_of(recertification_id: UUID) -> Recertification:
    """Raises: RecertificationError: there is none that the principal may see."""
    found: Recertification | None = Recertification.objects.filter(id=recertification_id).first()
    if found is None or not (sees_all(found) or _is_owner(found)):
        raise RecertificationError("intents.recertification_not_there")
    return found


def visible_recertifications() -> list[Recertification]:
    """Return those that the acting principal may see, newest first: all, or those in which they own grants."""
    principal = current_scope().principal
    found = Recertification.objects.order_by("-started_at", "-id")
    if not (principal.may(Permission.POLICY_EDIT) or principal.may(Permission.AUDIT_VIEW)):
        own = CertifiedGrant.objects.filter(owner_id=principal.id).values("recertification_id")
        found = found.filter(id__in=own)
    return list(found)


def progress_of(recertifications: Iterable[Recertification]) -> tuple[Progress, ...]:
    """Return how far each is. One query."""
    every = list(recertifications)
    counts: dict[UUID, Counter[str]] = {each.id: Counter() for each in every}
    rows = CertifiedGrant.objects.filter(recertification_id__in=counts).order_by()
    for recertification_id, decision in rows.values_list("recertification_id", "decision"):
        counts[recertification_id][decision] += 1
    return tuple(
        Progress(
            recertification=each,
            waiting=counts[each.id][GrantDecision.WAITING],
            confirmed=counts[each.id][GrantDecision.CONFIRMED],
            ended=counts[each.id][GrantDecision.ENDED],
            hidden=each.grant_count - counts[each.id].total(),
        )
        for each in every
    )


def waiting_for_me() -> int:
    """Return how many grants wait for the acting person. One query."""
    mine = CertifiedGrant.objects.filter(owner_id=current_scope().principal.id, decision=GrantDecision.WAITING)
    return int(mine.filter(recertification__closed_at__isnull=True).count())


def lines_of(recertification: Recertification) -> tuple[CertifiedLine, ...]:
    """Return the grants of it: all that an officer or an auditor may see, and to others those that they own.

    Costs: four queries.
    """
    rows = CertifiedGrant.objects.filter(recertification=recertification).select_related("scope", "recertification")
    if not sees_all(recertification):
        rows = rows.filter(owner_id=current_scope().principal.id)
    found = list(rows.order_by("scope__key", "role", "id"))
    people = {each for row in found for each in (row.holder_id, row.owner_id, row.decided_by_id) if each}
    names = {user.id: _called(user) for user in User.objects.filter(id__in=people)}
    keys = {key.id: f"{key.name} ({KEY_MARK}{key.prefix})" for key in ApiKey.objects.filter(id__in=_ids(found))}
    grants = {each.id: each for each in Grant.objects.filter(id__in=[row.grant_id for row in found])}
    return tuple(
        CertifiedLine(
            row=row,
            who=_who(row, names, keys),
            role=Role(row.role).label,
            scope=row.scope.key,
            owner=names.get(row.owner_id, "somebody who was erased"),
            decider=names.get(row.decided_by_id, "somebody who was erased") if row.decided_by_id else "",
            since=grants[row.grant_id].valid_from if row.grant_id in grants else None,
            still_valid=row.grant_id in grants and grants[row.grant_id].valid_to is None,
            is_late=row.decided_at is not None and row.decided_at > recertification.due_at,
        )
        for row in found
    )


def _is_owner(recertification: Recertification) -> bool:
    mine = CertifiedGrant.objects.filter(recertification=recertification, owner_id=current_scope().principal.id)
    return bool(mine.exists())


def _ids(rows: Iterable[CertifiedGrant]) -> list[UUID]:
    return [row.api_key_id for row in rows if row.api_key_id]


def _called(user: User) -> str:
    return user.username if str(user) == user.username else f"{user} ({user.username})"


def _who(row: CertifiedGrant, names: dict[UUID, str], keys: dict[UUID, str]) -> str:
    if row.api_key_id:
        return f"API key {keys.get(row.api_key_id, 'that is gone')}"
    return names.get(row.holder_id, "somebody who was erased") if row.holder_id else ""
