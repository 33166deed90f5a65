"""Handing a purge on to be removed: part by part, each a run that a second person approves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.services import record
from apps.erasure.contracts import Origin, Target
from apps.erasure.declarations.retained import ItemPosition
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import Purge, PurgePart, Reach
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.content import Asked, asked
from apps.erasure.retention.dry_run import core_of, ground_kind
from apps.erasure.retention.due import BATCH, Found, Step, due
from apps.erasure.retention.errors import RetentionError
from apps.erasure.retention.events import PURGE_PROPOSED
from apps.erasure.retention.in_runs import staying
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.writing import require_person
from apps.erasure.runs.runs import run_propose
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# So many single things are proposed at once: a run that a person can take in, and that is soon carried out.
PART_TARGETS: Final = 2_000


@dataclass(slots=True)
class _Gathered:
    """What a part takes. last: the item that the next part begins after; None where nothing was looked at."""

    targets: list[Target] = field(default_factory=list)
    kept: Counter[str] = field(default_factory=Counter)
    last: Step | None = None
    is_last: bool = False


def purge_propose(purge_id: UUID, *, number: int, most: int = PART_TARGETS) -> PurgePart:
    """Propose the next part of a purge to a second person, with what keeps its items asked in this transaction.

    What is kept, or proposed already, is passed over: it is due again for the next dry run. The next part goes on from
    where this one ends, whatever becomes of it.

    Args:    number: of the part that is to be proposed, from 1.
             most: targets; an item with more than these alone (an event has five parts at most) is taken whole.
    Returns: the part; without a run where everything that was left is kept.
    Raises:  PermissionDeniedError; RetentionError: a key acts, other rules are in force, all was proposed already, or
             that part was meanwhile.
    """
    current_scope().principal.require(Permission.PRIVACY_MANAGE)
    person = require_person()
    with transaction.atomic():
        with connection.cursor() as cursor:
            # Two windows take turns, and the second goes on after the first.
            cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("purge", purge_id)])
        purge: Purge = Purge.objects.select_related("schedule").get(id=purge_id)
        in_force = ensure_in_force()
        if in_force.id != purge.schedule_id:
            raise RetentionError("audit.purge_outdated", number=purge.schedule.number)
        before: PurgePart | None = PurgePart.objects.filter(purge_id=purge.id).order_by("number").last()
        if before is not None and before.is_last:
            raise RetentionError("audit.purge_ended")
        next_number = 1 if before is None else before.number + 1
        if next_number != number:
            raise RetentionError("audit.purge_changed", number=next_number)
        after = _end_of(before)
        wanted = asked(rules_of(in_force), on=purge.counted_for, reach=Reach(purge.reach), subject=purge.subject)
        found = _gather(wanted, after, most)
        last = found.last or after or Step(position=0)
        run = (
            run_propose(
                origin=Origin.PURGE,
                origin_id=purge.id,
                targets=found.targets,
                reason=RemovalReason.RETENTION_ENDED,
            )
            if found.targets
            else None
        )
        part: PurgePart = PurgePart.objects.create(
            tenant_id=purge.tenant_id,
            purge=purge,
            number=next_number,
            run_id=run.id if run else None,
            targets=len(found.targets),
            kept=dict(found.kept),
            last_position=last.position,
            last_at=last.place.at if last.place else None,
            last_id=last.place.id if last.place else None,
            is_last=found.is_last,
            proposed_by_id=person.id,
            proposed_by_label=person.label[:255],
        )
        record(
            action=PURGE_PROPOSED,
            core={
                **core_of(purge),
                "items": part.targets,
                "kept": part.kept,
                "part": part.number,
                "is_last": part.is_last,
                "run_id": str(run.id) if run else None,
            },
            subject_type="purge",
            subject_id=purge.id,
        )
    return part


def _end_of(part: PurgePart | None) -> Step | None:
    if part is None:
        return None
    place = ItemPosition(at=part.last_at, id=part.last_id) if part.last_at and part.last_id else None
    return Step(position=part.last_position, place=place)


def _gather(wanted: Sequence[Asked], after: Step | None, most: int) -> _Gathered:
    gathered = _Gathered()
    walk = due(wanted, after=after)
    while batch := list(islice(walk, min(BATCH, most))):
        if not _take(gathered, batch, most):
            return gathered
    gathered.is_last = True
    return gathered


def _take(gathered: _Gathered, batch: Sequence[Found], most: int) -> bool:
    """Take items of a batch as long as there is room. Returns: whether all of them were taken."""
    grounds = staying([target for found in batch for target in found.item.targets])
    for found in batch:
        free = [target for target in found.item.targets if target not in grounds]
        if gathered.targets and len(gathered.targets) + len(free) > most:
            return False
        gathered.targets += free
        held = (grounds[target] for target in found.item.targets if target in grounds)
        gathered.kept.update(ground_kind(ground) for ground in held)
        gathered.last = found.step
    return True
