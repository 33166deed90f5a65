"""Place, extend and release legal holds. A person decides each of these, in their own name and with a reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.services import record
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.holdable import HOLDABLE
from apps.erasure.holds.errors import HoldError
from apps.erasure.holds.events import ITEMS_ADDED, PLACED, RELEASED, REVIEW_MOVED
from apps.erasure.holds.items import describe
from apps.erasure.holds.locks import keep_removals_out
from apps.erasure.holds.restrictions import lift, restrict
from apps.erasure.holds.selectors import hold_by_id, open_holds, target_of
from apps.erasure.models import Because, HeldItem, LegalHold, Restriction
from apps.erasure.runs.waiting import runs_take_up
from apps.tenants.context import acting_user_id, current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import Membership
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import Permission
from apps.tenants.second_person import require_step_up

# The limit for one call, because its event names every item.
MOST_ITEMS: Final = 500


def hold_place(*, matter: str, ground: str, owner_id: UUID, review_on: date, targets: Iterable[Target]) -> LegalHold:
    """Keep the targets from being removed until the hold is released, and restrict the documents from now on.

    Args:    matter, ground: what the hold is about and what obliges the firm to it, in a person's words.
             owner_id: the member who answers for it. review_on: when the hold is reviewed; must be after today.
             targets: documents and parts of events, 1 to MOST_ITEMS.
    Raises:  PermissionDeniedError; HoldError: also where a target does not exist for this person.
    Costs:   about ten queries, and one event for each document. Waits for removals that are in progress.
    """
    person = _require_person()
    words = {"matter": _words("matter", matter), "ground": _words("ground", ground)}
    _require_later(review_on)
    if not Membership.objects.filter(IN_FORCE, user_id=owner_id).exists():
        raise HoldError("audit.hold_owner_not_a_member", owner=owner_id)
    with transaction.atomic():
        hold: LegalHold = LegalHold.objects.create(
            tenant_id=current_scope().tenant_id,
            **words,
            owner_id=owner_id,
            review_on=review_on,
            placed_by=person,
            placed_by_label=current_scope().principal.label[:255],
        )
        _record(PLACED, hold, core={"owner_id": str(owner_id), "review_on": review_on.isoformat()}, actor=words)
        _add(hold, targets)
    return hold


def hold_items_add(*, hold_id: UUID, targets: Iterable[Target]) -> list[Target]:
    """Put more targets under an open hold, and skip those already under it. Returns: the targets added.

    Raises: as hold_place; HoldError: there is no such hold, or it is released.
    """
    _require_person()
    with transaction.atomic():
        return _add(_open(hold_id), targets)


def hold_review_move(*, hold_id: UUID, review_on: date, reason: str) -> LegalHold:
    """Move the review date of an open hold. A review that decides to continue the hold ends with this call.

    Raises: PermissionDeniedError; HoldError.
    """
    _require_person()
    said = _words("reason", reason)
    _require_later(review_on)
    with transaction.atomic():
        hold = _open(hold_id)
        before, hold.review_on = hold.review_on, review_on
        hold.save(update_fields=["review_on"])
        core = {"review_on": review_on.isoformat(), "review_on_before": before.isoformat()}
        _record(REVIEW_MOVED, hold, core=core, actor={"reason": said})
    return hold


def hold_release(*, hold_id: UUID, reason: str) -> LegalHold:
    """End a hold. Resume, in the same transaction, the removals that waited for targets which no other hold keeps.

    Raises: PermissionDeniedError; HoldError: also where the hold covers documents in scopes that are not open.
    """
    person = _require_person()
    require_step_up()
    said = _words("reason", reason)
    with transaction.atomic():
        keep_removals_out()
        hold = _open(hold_id)
        restricted = Restriction.objects.filter(because=Because.HOLD, because_id=hold.id)
        if beyond := restricted.exclude(scope_id__in=current_scope().scope_ids).count():
            raise HoldError("audit.hold_beyond_scopes", hold=hold.id, count=beyond)
        hold.released_by, hold.released_at, hold.release_reason = person, timezone.now(), said
        hold.released_by_label = current_scope().principal.label[:255]
        hold.save(update_fields=["released_by", "released_by_label", "released_at", "release_reason"])
        targets = [target_of(item) for item in hold.items.all()]
        still = open_holds(targets)
        core = {**_counts(targets), "still_held": len(still)}
        _record(RELEASED, hold, core=core, actor={"reason": said})
        lift(targets, Because.HOLD, hold.id)
        runs_take_up([target for target in targets if target not in still])
    return hold


def _add(hold: LegalHold, targets: Iterable[Target]) -> list[Target]:
    wanted = sorted(set(targets))
    if not 1 <= len(wanted) <= MOST_ITEMS:
        raise HoldError("audit.nothing_to_hold", most=MOST_ITEMS, count=len(wanted))
    for target in wanted:
        if target.type not in HOLDABLE:
            raise HoldError("audit.not_holdable", type=target.type.replace("_", " "))
    keep_removals_out()
    there = describe(wanted, lock=True)
    for target in wanted:
        if target not in there:
            raise HoldError("audit.held_item_not_found", type=target.type.replace("_", " "), item=target.id)
    known = {target_of(item) for item in hold.items.all()}
    new = [target for target in wanted if target not in known]
    if not new:
        return []
    person = _require_person()
    HeldItem.objects.bulk_create(
        [
            HeldItem(
                tenant_id=hold.tenant_id,
                hold=hold,
                type=str(target.type),
                item_id=target.id,
                part=target.part,
                added_by=person,
            )
            for target in new
        ]
    )
    items = [{"type": str(target.type), "item_id": str(target.id), "part": target.part} for target in new]
    scopes = {ScopeId(each) for target in new for each in there[target].scope_ids}
    _record(ITEMS_ADDED, hold, core={"items": items, **_counts(new)}, scopes=sorted(scopes))
    restrict(new, Because.HOLD, hold.id)
    return new


def _require_person() -> UUID:
    principal = current_scope().principal
    principal.require(Permission.PRIVACY_MANAGE)
    person = acting_user_id(principal)
    if person is None:
        raise HoldError("audit.hold_needs_person")
    return person


def _open(hold_id: UUID) -> LegalHold:
    """Return the open hold, locked, so that the second of two concurrent releases finds it released."""
    hold_by_id(hold_id)
    hold: LegalHold | None = LegalHold.objects.select_for_update().filter(id=hold_id, released_at__isnull=True).first()
    if hold is None:
        raise HoldError("audit.hold_released", hold=hold_id)
    return hold


def _words(field: str, text: str) -> str:
    words = text.strip()
    if not words:
        raise HoldError("audit.hold_says_nothing", field=field)
    return words


def _require_later(review_on: date) -> None:
    if review_on <= timezone.now().date():
        raise HoldError("audit.hold_review_date", date=review_on.isoformat())


def _counts(targets: Sequence[Target]) -> dict[str, int]:
    counted = Counter(target.type for target in targets)
    return {"documents": counted[TargetType.DOCUMENT], "event_groups": counted[TargetType.EVENT_GROUP]}


def _record(action: str, hold: LegalHold, *, core: dict[str, Any], **more: Any) -> None:
    record(action=action, core=core, subject_type="legal_hold", subject_id=hold.id, **more)
