"""Which two figures a sentence compares: two of one row, or one with that of the period before."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.filings.text.bindings import years_of
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.evidence import rows_named
from apps.retrieval.stages.grounding.moving_words import (
    calculated_terms,
    moving_terms,
)
from apps.retrieval.stages.grounding.spoken import OUTFLOW, Bound, Spoken, reference_years
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms

UNTOLD: Final = "no figure of another period confirms it"
OTHERWISE: Final = "the figures say otherwise"
QUARTER_BEFORE: Final = re.compile(
    r"\b(?:a|the|one)\s+quarter\s+(?:earlier|before|ago)\b|\b(?:prior|previous|preceding|last)\s+quarter\b|\bvorquartal\w*",
    re.IGNORECASE,
)
YEAR_BEFORE: Final = re.compile(
    r"\b(?:a|the|one)\s+year\s+(?:earlier|before|ago)\b|\b(?:prior|previous|preceding|last)[\s-]year\b|\bvorjahr\w*|\bein\s+jahr\s+zuvor"
    r"|\byear[\s-](?:on|over)[\s-]year\b",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"\bfrom\s+(?:\w+\s+){0,3}$|\bvon\s+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two figures of one row: of a later and an earlier time."""

    later: Figure
    earlier: Figure

    def values(self, text: str) -> tuple[Decimal, Decimal]:
        """Return the later and the earlier value. Outflows and losses, printed as negatives, count by their size."""
        later, earlier = (value_of(each) for each in (self.later, self.earlier))
        sizes = later <= 0 and earlier <= 0 and (OUTFLOW.search(f"{self.later.label_text} {text}") is not None)
        return (abs(later), abs(earlier)) if sizes else (later, earlier)


def read_pairs(spoken: Spoken, bound: Sequence[Bound]) -> list[Pair]:
    """Return the pairs that a sentence compares: two figures of one row, or one with that of the period before.

    A change that is given says which two are compared.
    """
    found = [Pair(later=each.pair[0], earlier=each.pair[1]) for each in bound if each.pair is not None]
    if found:
        return found
    cells = [each.figure for each in bound if each.figure is not None]
    for figure in dict.fromkeys(cells):
        time = time_of(figure)
        if time is None:
            continue
        said = [each for each in cells if _of_one_row(each, figure) and each is not figure]
        earlier = [each for each in said if (other := time_of(each)) is not None and other < time]
        if earlier:
            found.append(Pair(later=figure, earlier=max(earlier, key=lambda each: time_of(each) or (0, 0))))
        elif not said:
            last = [each for each in spoken.said.rows if _of_one_row(each, figure) and each is not figure]
            later = [each for each in last if (other := time_of(each)) is not None and other > time]
            if later:
                found.append(Pair(later=later[0], earlier=figure))
            else:
                found.extend(_with_the_one_before(figure, spoken.evidence.row_of(figure), spoken))
    if not cells:
        for named in named_rows(spoken) or rows_said(spoken) or rows_asked(spoken):
            found.extend(pair for each in _latest(named, spoken) for pair in _with_the_one_before(each, named, spoken))
    return found


def read_from_to(found: re.Match[str] | None, spoken: Spoken, bound: Sequence[Bound]) -> Pair | None:
    """Return the figures of "rose from A to B", or of "B, up from A"."""
    cells = [each for each in bound if each.figure is not None]
    for index, each in enumerate(cells):
        if not _FROM.search(spoken.text[: each.number.start]) or (found and each.number.start < found.start()):
            continue
        others = [other for other in cells if other is not each and _one_row(other, each)]
        behind = [other for other in others if other.number.start > each.number.start]
        before = [other for other in cells[:index] if other in others]
        other = behind[0] if behind and not before else (before[-1] if before else None)
        if other is not None and other.figure is not None and each.figure is not None:
            return Pair(later=other.figure, earlier=each.figure)
        last = [row for row in spoken.said.rows if each.figure and row.label_text == each.figure.label_text]
        if each.figure is not None and last and last[-1] is not each.figure:
            return Pair(later=last[-1], earlier=each.figure)
    return None


def time_of(figure: Figure) -> tuple[int, int] | None:
    """Return the year and quarter of a figure's column; None if it names none or several."""
    if len(figure.years) != 1:
        return None
    periods = read_period_mentions(figure.column).named
    return next(iter(figure.years)), max((each.period.fiscal_quarter for each in periods), default=0)


def named_rows(spoken: Spoken) -> list[tuple[Figure, ...]]:
    evidence, language = spoken.evidence, spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(spoken.text), language))
    if full := rows_named(evidence, said):
        return full
    # "Operating expenses rose" of "General operating expenses", if no other row is meant.
    parts = [
        (naming.share, row) for row in evidence.rows if (naming := evidence.sources.label(row[0]).named_by(said)).named
    ]
    best = max((share for share, _ in parts), default=0.0)
    nearest = [row for share, row in parts if share == best]
    return nearest if len(nearest) == 1 else []


def rows_said(spoken: Spoken) -> list[tuple[Figure, ...]]:
    return [spoken.evidence.row_of(each) for each in spoken.said.rows[-1:]]


def rows_asked(spoken: Spoken) -> list[tuple[Figure, ...]]:
    """Return the rows for which the question asks, for a sentence that names none: "Up 4.8 %"."""
    return rows_named(spoken.evidence, spoken.evidence.asked_words)


def telling_of(spoken: Spoken) -> frozenset[str]:
    language = spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(spoken.text), language))
    return said - plain_terms(language) - moving_terms(language) - calculated_terms(language)


def value_of(figure: Figure) -> Decimal:
    return -figure.number.scaled if figure.number.negative else figure.number.scaled


def is_named(time: tuple[int, int], spoken: Spoken) -> bool:
    """Return whether the sentence or the question names a time."""
    return any(time[0] in years_of(text) for text in (spoken.text, spoken.evidence.analysis.text))


def _one_row(first: Bound, second: Bound) -> bool:
    one, two = first.figure, second.figure
    return one is not None and two is not None and one.label_text == two.label_text


def _of_one_row(one: Figure, other: Figure) -> bool:
    if one.is_cell and other.is_cell:
        return one.label_text == other.label_text
    return (one.ref_id, one.at, one.number.unit) == (other.ref_id, other.at, other.number.unit)


def _latest(row: Sequence[Figure], spoken: Spoken) -> list[Figure]:
    """Return the figure of a row for the time of which the sentence, or else the question, speaks."""
    text = spoken.text if years_of(spoken.text) else spoken.evidence.analysis.text
    years = years_of(text) or reference_years(spoken)
    timed = [(time, each) for each in row if (time := time_of(each)) is not None]
    quarters = {each.period.fiscal_quarter for each in read_period_mentions(text).named if each.period.fiscal_quarter}
    fitting = [
        (time, each)
        for time, each in timed
        if time[0] in years and (not quarters or time[1] in quarters or not time[1])
    ]
    return [max(fitting or timed, key=lambda pair: pair[0])[1]] if timed else []


def _with_the_one_before(figure: Figure, row: Sequence[Figure], spoken: Spoken) -> Iterator[Pair]:
    """Yield a figure with that of the period with which it is compared: as is named, or else the one before."""
    time = time_of(figure)
    if time is None:
        return
    text = spoken.text if len(years_of(spoken.text)) > 1 else spoken.evidence.analysis.text
    periods = [each.period for each in read_period_mentions(text).named]
    named = {(each.fiscal_year, each.fiscal_quarter) for each in periods} - {time}
    before = (time[0] - 1, time[1])
    sequential = (time[0], time[1] - 1) if time[1] > 1 else (time[0] - 1, 4)
    if QUARTER_BEFORE.search(spoken.text):
        named = {sequential}
    elif YEAR_BEFORE.search(spoken.text):
        named = {before}
    wanted = [each for each in sorted(named, reverse=True) if each < time]
    usual = [before, *([sequential] if time[1] else [])]
    by_time = {
        at: each
        for each in row
        if each is not figure and (at := time_of(each)) is not None and each.number.unit is figure.number.unit
    }
    alike = {at: each for at, each in by_time.items() if _same_kind(each, figure)}
    found = [alike[each] for each in wanted if each in alike] or [alike[each] for each in usual if each in alike]
    # Where the sentence says no more, the period before may be that of the year before or the last one.
    yield from (Pair(later=figure, earlier=each) for each in found)


def _same_kind(one: Figure, other: Figure) -> bool:
    """Return whether two columns are alike but for their years: quarters with quarters."""
    blank = re.compile(r"\d")
    return blank.sub("", one.column).strip().lower() == blank.sub("", other.column).strip().lower()


def make_finding(kind: FindingType, word: str, outcome: tuple[bool, str]) -> Finding:
    supported, told = outcome
    return Finding(
        type=kind,
        value=word,
        supported=supported,
        ref_id=told if supported else "",
        note="computed from its figures" if supported else told,
    )
