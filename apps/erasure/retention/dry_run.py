"""A purge's dry run: what would go, counted and kept, and nothing removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date
from itertools import islice
from typing import Any, Final

from django.db import transaction
from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.services import record
from apps.erasure.contracts import Target
from apps.erasure.declarations.retained import Item
from apps.erasure.models import Purge, PurgeFigure, Reach
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.content import Asked, asked
from apps.erasure.retention.due import BATCH, due
from apps.erasure.retention.errors import NothingDueError
from apps.erasure.retention.events import PURGE_COUNTED
from apps.erasure.retention.in_runs import staying
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.subjects import subjects
from apps.erasure.retention.writing import require_person, require_reason
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# Of each rule, so many items are asked about; counts are exact whatever their size.
LOOKED_AT: Final = 2_000
_SAMPLES: Final = 5


@dataclass(slots=True)
class _Look:
    """What was seen of a rule's items."""

    items: int
    kept: Counter[str]
    samples: list[dict[str, Any]]


def purge_count(*, reach: Reach, reason: str, subject: str = "") -> Purge:
    """Make a dry run by the schedule in force, as of today, and keep it. Nothing is removed or proposed.

    Args:   subject: of this alone; empty for all.
    Raises: PermissionDeniedError, RetentionError; NothingDueError: then nothing is kept.
    Costs:  two queries a rule, and for each that finds anything up to sixteen more.
    """
    current_scope().principal.require(Permission.PRIVACY_MANAGE)
    person = require_person()
    with transaction.atomic():
        schedule = ensure_in_force()
        today = timezone.now().astimezone(UTC).date()
        purge: Purge = Purge.objects.create(
            tenant_id=current_scope().tenant_id,
            schedule=schedule,
            reach=reach,
            subject=subject,
            reason=require_reason(reason),
            counted_for=today,
            created_by_id=person.id,
            created_by_label=person.label[:255],
        )
        figures = _figures(purge, asked(rules_of(schedule), on=today, reach=reach, subject=subject))
        if not figures:
            raise NothingDueError(what=_what(reach, today))
        PurgeFigure.objects.bulk_create(figures)
        record(
            action=PURGE_COUNTED,
            core={
                **core_of(purge),
                "items": sum(figure.count for figure in figures),
                "kept": dict(sum((Counter(figure.kept) for figure in figures), Counter())),
            },
            subject_type="purge",
            subject_id=purge.id,
        )
    return purge


def core_of(purge: Purge) -> dict[str, Any]:
    """What every event of a purge says."""
    return {
        "number": purge.schedule.number,
        "reach": str(purge.reach),
        "kind": purge.subject,
        "counted_for": purge.counted_for.isoformat(),
    }


def ground_kind(ground: str) -> str:
    """Of a ground such as `hold:<uuid>`, what kind it is."""
    return ground.partition(":")[0]


def target_json(target: Target, item: Item) -> dict[str, Any]:
    """An id with when its period began; never a content."""
    return {
        "type": str(target.type),
        "id": str(target.id),
        "part": target.part,
        "at": item.place.at.isoformat(timespec="seconds"),
    }


def _figures(purge: Purge, wanted: tuple[Asked, ...]) -> list[PurgeFigure]:
    known, found = subjects(), []
    for position, each in enumerate(wanted):
        tally = known[each.rule.subject].source.tally(each.aim)
        if tally.oldest is not None and tally.newest is not None:
            look = _look(each)
            found.append(
                PurgeFigure(
                    id=new_id(),
                    tenant_id=purge.tenant_id,
                    purge=purge,
                    position=position,
                    subject=each.rule.subject,
                    group=each.rule.group,
                    clock_start=each.rule.clock_start,
                    months=each.months,
                    legal_basis=each.rule.legal_basis,
                    count=tally.count,
                    oldest=tally.oldest,
                    newest=tally.newest,
                    looked_at=look.items,
                    kept=dict(look.kept),
                    samples=look.samples,
                )
            )
    return found


def _look(each: Asked) -> _Look:
    look = _Look(items=0, kept=Counter(), samples=[])
    walk = ((found.item, target) for found in due([each]) for target in found.item.targets)
    left = LOOKED_AT
    while batch := list(islice(walk, min(BATCH, left))):
        left -= len(batch)
        grounds: Mapping[Target, str] = staying([target for _, target in batch])
        look.items += len(batch)
        look.kept.update(ground_kind(ground) for ground in grounds.values())
        for item, target in batch[: _SAMPLES - len(look.samples)]:
            look.samples.append({**target_json(target, item), "kept": ground_kind(grounds.get(target, ""))})
        if not left:
            break
    return look


def _what(reach: Reach, today: date) -> str:
    words = "is past its latest date" if reach == Reach.MUST else "may be removed"
    return f"on {today:%-d %B %Y} nothing that you may see {words}"
