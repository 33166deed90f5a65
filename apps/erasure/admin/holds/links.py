"""What other pages show of holds: a notice on what is held or restricted, and the way to hold it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from django.http import HttpRequest
from django.urls import reverse
from django.utils.http import urlencode

from apps.audit.registry import KeptGroup
from apps.audit.selectors import GroupState
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.restrictions import reasons_of
from apps.erasure.holds.selectors import holds_of
from apps.erasure.models import Because, LegalHold
from apps.tenants.admin.base import may
from apps.tenants.roles import Permission

_INTACT = GroupState.INTACT.value.capitalize()


@dataclass(frozen=True, slots=True, kw_only=True)
class HoldLink:
    matter: str
    review_on: date
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RestrictionNotice:
    """Why a document is out of sight. requests: for how many requests for erasure."""

    holds: tuple[HoldLink, ...]
    requests: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldPart:
    """A line of an event's parts. hold_url: where it can be held; empty for who may not, and for what is gone."""

    title: str
    state: str
    tone: str
    note: str
    commitment: str
    holds: tuple[HoldLink, ...]
    hold_url: str


def code_of(target: Target) -> str:
    """A target in an address or a form's value."""
    return ":".join(part for part in (str(target.type), str(target.id), target.part) if part)


def target_of_code(code: str) -> Target | None:
    """None for what is no such code."""
    type, _, rest = code.partition(":")
    id, _, part = rest.partition(":")
    try:
        return Target(type=TargetType(type), id=UUID(id), part=part[:16])
    except ValueError:
        return None


def hold_url(request: HttpRequest, target: Target) -> str:
    """The page that places a hold on it; empty for who may not."""
    if not may(request, Permission.PRIVACY_MANAGE):
        return ""
    return f"{reverse('admin:audit_legalhold_add')}?{urlencode({'item': code_of(target)})}"


def restriction_notice(document_id: UUID) -> RestrictionNotice | None:
    """None for a document that nothing restricts. Costs: one query, two where something does."""
    reasons = reasons_of(document_id)
    if not reasons:
        return None
    return RestrictionNotice(
        holds=_links(holds_of(Target(type=TargetType.DOCUMENT, id=document_id))),
        requests=len(reasons.get(Because.REQUEST, [])),
    )


def with_holds(request: HttpRequest, event_id: UUID, groups: Sequence[KeptGroup]) -> list[HeldPart]:
    """The parts of an event, each with the holds on it. Costs: a query a part."""
    parts = []
    for each in groups:
        target = Target(type=TargetType.EVENT_GROUP, id=event_id, part=each.group)
        parts.append(
            HeldPart(
                title=each.title,
                state=each.state,
                tone=each.tone,
                note=each.note,
                commitment=each.commitment,
                holds=_links(holds_of(target)),
                hold_url=hold_url(request, target) if each.state == _INTACT else "",
            )
        )
    return parts


def _links(holds: Sequence[LegalHold]) -> tuple[HoldLink, ...]:
    return tuple(
        HoldLink(
            matter=hold.matter, review_on=hold.review_on, url=reverse("admin:audit_legalhold_change", args=[hold.id])
        )
        for hold in holds
    )
