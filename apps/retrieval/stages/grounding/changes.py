"""Changes that a sentence gives: worked out from two figures of one row, or from two results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit, round_to, units_in
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.calculations import comes_out
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.evidence import Result
from apps.retrieval.stages.grounding.moving_words import (
    CHANGES,
    DOWN,
    FLAT,
    UP,
)
from apps.retrieval.stages.grounding.pairs import (
    OTHERWISE,
    QUARTER_BEFORE,
    YEAR_BEFORE,
    Pair,
    is_named,
    make_finding,
    read_from_to,
    read_pairs,
    telling_of,
    time_of,
)
from apps.retrieval.stages.grounding.spoken import Bound, Spoken

_CALCULATED: Final = "calculated from its row"
_BESIDE_CHANGE: Final = re.compile(
    r"\s*(?:(?P<more>more|mehr|above|higher|h\u00f6her|\u00fcber)|(?P<less>less|weniger|below|lower|fewer|niedriger|unter))\b",
    re.IGNORECASE,
)
_DIFFERENCE: Final = re.compile(r"\b(?:difference|change|ver\u00e4nderung|differenz)\s*:?\s*$", re.IGNORECASE)


def speaks_of_change(spoken: Spoken) -> bool:
    """Return whether a sentence gives a change; only then may a figure be the difference between two of its row."""
    text = spoken.text
    # "That is 11.5 %", after a sentence on a row.
    return any(pattern.search(text) for pattern in (UP, DOWN, FLAT, CHANGES)) or (
        bool(spoken.said.rows) and not telling_of(spoken)
    )


def work_out_change(number: Number, spoken: Spoken, bound: Sequence[Bound]) -> Bound | None:
    """Return a change as bound, if it follows from the row of which the sentence speaks; None if nothing follows."""
    stated = read_from_to(None, spoken, bound)
    for pair in [stated] if stated else read_pairs(spoken, bound):
        later, earlier = pair.values(spoken.text)
        if gives(number, later, earlier, pair):
            named = pair.later.stated.currencies
            if number.currency and named and number.currency not in named:
                continue
            return Bound(
                number=number,
                supported=True,
                note=_CALCULATED,
                ref_id=pair.later.ref_id,
                pair=(pair.later, pair.earlier),
            )
    points = number.unit in (NumberUnit.POINTS, NumberUnit.BASIS_POINTS)
    for after, before in result_pairs(spoken):
        change = abs(after.number.value - before.number.value) * (100 if number.unit is NumberUnit.BASIS_POINTS else 1)
        fell = after.number.value < before.number.value
        if _DIFFERENCE.search(spoken.text[: number.start]) and number.negative != fell:
            continue
        if points and after.number.percent and before.number.percent and change == number.value:
            return Bound(number=number, supported=True, note=_CALCULATED, ref_id=after.ref_id)
    return None


def check_changes(spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check "117 less than a year earlier", and that what is said to be a quarter or a year before is that."""
    for each in bound:
        beside = _BESIDE_CHANGE.match(spoken.text, each.number.end) if each.pair is not None else None
        if beside is not None and each.pair is not None:
            later, earlier = Pair(later=each.pair[0], earlier=each.pair[1]).values(spoken.text)
            holds = later > earlier if beside["more"] else later < earlier
            yield make_finding(
                FindingType.DIRECTION, beside.group().strip(), (holds, each.ref_id if holds else OTHERWISE)
            )
    stated = read_from_to(None, spoken, bound)
    for pair in [stated] if stated is not None else read_pairs(spoken, bound)[:1]:
        late, early = time_of(pair.later), time_of(pair.earlier)
        if late is None or early is None:
            continue
        sequential = (late[0], late[1] - 1) if late[1] > 1 else (late[0] - 1, 4 if late[1] else 0)
        before = (late[0] - 1, late[1])
        told = [(QUARTER_BEFORE.search(spoken.text), sequential), (YEAR_BEFORE.search(spoken.text), before)]
        wrong = any(found is not None and time != early for found, time in told if late[1])
        if stated is not None and not any(found for found, _ in told) and not is_named(early, spoken):
            wrong = early not in (sequential, before)
        if wrong:
            yield make_finding(FindingType.COMPARISON, pair.earlier.number.text, (False, "of another period"))


def result_pairs(spoken: Spoken) -> Iterator[tuple[Result, Result]]:
    """Yield results of one unit that were calculated for different times, the later first."""
    timed = [(max(times), each) for each in spoken.said.results if (times := _times_of(each))]
    for one, first in timed:
        for other, second in timed:
            if one > other and first.number.unit is second.number.unit:
                yield first, second


def _times_of(result: Result) -> list[tuple[int, int]]:
    return [time for each in result.operands if (time := time_of(each)) is not None]


def gives(number: Number, later: Decimal, earlier: Decimal, pair: Pair) -> bool:
    """Return whether a number is the difference between two values, or the rate of change."""
    change = later - earlier
    sizes = (abs(change),) if not number.negative else (change,)
    scale = pair.later.stated.exponent or pair.later.number.exponent or 0
    if number.unit is NumberUnit.PERCENT:
        rate = change / earlier if earlier else None
        return (
            rate is not None
            and not _is_rate(pair.later)
            and comes_out(abs(rate) if not number.negative else rate, (), number)
        )
    if number.unit is not NumberUnit.PLAIN:
        if not _is_rate(pair.later):
            return False
        points = abs(change) * (100 if number.unit is NumberUnit.BASIS_POINTS else 1)
        return points == number.value or round_to(points, number.decimals) == number.value
    plain = [each.scaleb(exponent - number.exponent) for each in sizes for exponent in {0, scale}]
    claimed = -number.value if number.negative else number.value
    return any(round_to(each, number.decimals) == claimed for each in plain)


def _is_rate(figure: Figure) -> bool:
    """Return whether a figure is itself given in per cent."""
    return figure.number.unit is NumberUnit.PERCENT or bool(units_in(f"{figure.label_text} {figure.column}"))
