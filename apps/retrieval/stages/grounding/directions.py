"""Check what a sentence says of a direction or comparison, by the figures to which it is bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.changes import check_changes, result_pairs, speaks_of_change
from apps.retrieval.stages.grounding.comparisons import (
    FRACTION,
    LEAST_ASKED,
    MOST_ASKED,
    OF_PARTS,
    SLIGHTLY,
    THAN,
    check_extreme,
    check_extreme_asked,
    check_factor,
    check_fraction,
    check_more_or_less,
    check_slight,
    compares_rows,
)
from apps.retrieval.stages.grounding.evidence import Result
from apps.retrieval.stages.grounding.moving_words import (
    DOWN,
    FACTOR,
    FLAT,
    LARGEST,
    SMALLEST,
    UP,
    direction_of,
)
from apps.retrieval.stages.grounding.pairs import (
    OTHERWISE,
    UNTOLD,
    Pair,
    make_finding,
    named_rows,
    read_from_to,
    read_pairs,
    rows_asked,
    rows_said,
    telling_of,
)
from apps.retrieval.stages.grounding.spoken import Bound, Spoken

_FLAT_WITHIN: Final = Decimal("0.01")


def check_directions(spoken: Spoken, bound: Sequence[Bound], results: Sequence[Result]) -> Iterator[Finding]:
    """Check each word of a sentence that compares its figures, or those from which it calculates."""
    text = spoken.text
    operands = [each for result in results for each in result.operands]
    bound = [*bound, *(Bound(number=each.number, supported=True, note="", figure=each) for each in operands)]
    for found in FACTOR.finditer(text):
        yield make_finding(FindingType.COMPARISON, found.group(), check_factor(found, spoken, bound))
    if speaks_of_change(spoken):
        for found in FRACTION.finditer(text):
            yield make_finding(FindingType.COMPARISON, found.group().strip(), check_fraction(found, spoken, bound))
    for pattern, sign in ((LARGEST, 1), (SMALLEST, -1)):
        for found in pattern.finditer(text):
            yield make_finding(FindingType.COMPARISON, found.group(), check_extreme(found, sign, spoken, bound))
    for found in SLIGHTLY.finditer(text):
        yield from check_slight(found, spoken, bound)
    for found in THAN.finditer(text):
        yield from check_more_or_less(found, bound)
    yield from check_changes(spoken, bound)
    yield from check_extreme_asked(spoken, bound)
    for pattern, sign in ((UP, 1), (DOWN, -1), (FLAT, 0)):
        for found in pattern.finditer(text):
            if not _is_of_a_name(found.group(), spoken, bound) and not compares_rows(found, spoken, bound):
                yield make_finding(FindingType.DIRECTION, found.group(), _moved(found, sign, spoken, bound))


def rows_compared(spoken: Spoken, bound: Sequence[Bound]) -> tuple[Figure, ...]:
    """Return figures of the rows that a sentence compares without giving a figure: "Revenue rose in 2024"."""
    text = spoken.text
    asked = spoken.evidence.analysis.text
    named_alone = not bound and OF_PARTS.search(asked) and (MOST_ASKED.search(asked) or LEAST_ASKED.search(asked))
    if not named_alone and not any(pattern.search(text) for pattern in (UP, DOWN, FLAT, FACTOR, LARGEST, SMALLEST)):
        return ()
    changes = any(each.supported and each.figure is None and each.ref_id for each in bound)
    rows = named_rows(spoken)
    if not rows and (changes or not telling_of(spoken)):
        rows = rows_said(spoken) or rows_asked(spoken)
    return tuple(row[0] for row in rows)


def _is_of_a_name(word: str, spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a word belongs to a row's name: "decrease in inventories", "gains"."""
    rows = [*(each.figure for each in bound if each.figure), *(row[0] for row in named_rows(spoken))]
    return any(word.lower() in f"{each.label_text} {each.heading}".lower() for each in rows)


def _moved(found: re.Match[str], sign: int, spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if told and any(_agrees(sign, each.piece) for each in told):
        return True, told[0].ref_id
    stated = read_from_to(found, spoken, bound)
    pairs = read_pairs(spoken, bound) if stated is None else [stated]
    if not pairs or len([each for each in bound if each.figure is None and each.number.percent]) > 1:
        for later_result, earlier_result in result_pairs(spoken):
            values = [
                -each.number.value if each.number.negative else each.number.value
                for each in (later_result, earlier_result)
            ]
            if (values[0] > values[1]) - (values[0] < values[1]) == sign:
                return True, later_result.ref_id
    if not pairs:
        return False, UNTOLD if not told else OTHERWISE
    nearest = _nearest(found, pairs, spoken, bound)
    for pair in (each for each in pairs if each.later is nearest.later):
        later, earlier = pair.values(spoken.text)
        flat = abs(later - earlier) <= abs(earlier) * _FLAT_WITHIN
        if flat if sign == 0 else (later > earlier) - (later < earlier) == sign:
            return True, pair.later.ref_id
    return False, OTHERWISE


def _agrees(sign: int, piece: str) -> bool:
    if sign == 0:
        return FLAT.search(piece) is not None
    return (UP if sign > 0 else DOWN).search(piece) is not None and direction_of(piece) in (sign, 0)


def _nearest(found: re.Match[str], pairs: Sequence[Pair], spoken: Spoken, bound: Sequence[Bound]) -> Pair:
    """Return the pair of the row of which the sentence speaks where the word stands."""
    at = {
        (each.figure.ref_id, each.figure.at): min(
            abs(each.number.start - found.start()),
            *(abs(e.number.start - found.start()) for e in bound if e.figure and e.figure.at == each.figure.at),
        )
        for each in bound
        if each.figure is not None
    }
    return min(pairs, key=lambda pair: at.get((pair.later.ref_id, pair.later.at), len(spoken.text)))
