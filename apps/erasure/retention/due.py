"""What is due by a set of rules: counted exactly, and walked through in batches, without a list of it all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from apps.erasure.declarations.retained import Item, ItemPosition
from apps.erasure.models.purge import Reach
from apps.erasure.retention.content import Asked, Rule, asked
from apps.erasure.retention.subjects import subjects

BATCH = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Where a walk stands: at which of the rules (by its position among those asked), and where within it."""

    position: int
    place: ItemPosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    step: Step
    item: Item


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Targets: single documents, and single field groups of events."""

    may_remove: int
    must_remove: int


def due(wanted: Sequence[Asked], *, after: Step | None = None, batch: int = BATCH) -> Iterator[Found]:
    """Every item that the rules ask for, rule by rule, oldest first.

    Args:  wanted: from content.asked; the same list brings the walk on from where it was left.
           after: go on after this one.
    Costs: two queries a batch at most, and no more than a batch in memory.
    """
    known = subjects()
    for position, each in enumerate(wanted):
        if after is not None and position < after.position:
            continue
        source = known[each.rule.subject].source
        place = after.place if after is not None and position == after.position else None
        while True:
            items = source.batch(each.aim, after=place, limit=batch)
            for item in items:
                yield Found(step=Step(position=position, place=item.place), item=item)
            if len(items) < batch:
                break
            place = items[-1].place


def totals(rules: Sequence[Rule], *, on: date, subject: str = "") -> Totals:
    """How much may go by the rules on a day, and how much should be gone. Two queries a rule.

    Args: subject: of this alone; empty for all.
    """

    def count(reach: Reach) -> int:
        known = subjects()
        wanted = asked(rules, on=on, reach=reach, subject=subject)
        return sum(known[each.rule.subject].source.tally(each.aim).count for each in wanted)

    return Totals(may_remove=count(Reach.MAY), must_remove=count(Reach.MUST))
