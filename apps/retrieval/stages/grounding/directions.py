"""Check what a sentence says of a change or of the largest: computed from the figures to which it is bound."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.bindings import years_of
from apps.retrieval.stages.figures.calculations import comes_out
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.numbers import Number, NumberUnit, units_in
from apps.retrieval.stages.grounding.claims import OUTFLOW, Bound, Spoken, reference_years
from apps.retrieval.stages.grounding.evidence import Result, rows_named
from apps.retrieval.stages.grounding.moving_words import (
    DOWN,
    FACTOR,
    FLAT,
    LARGEST,
    SMALLEST,
    UP,
    calculated_terms,
    direction_of,
    factor_of,
    moving_terms,
)
from apps.retrieval.stages.grounding.wording import blank_places, plain_terms, word_terms
from apps.retrieval.stages.question.period_mentions import read_period_mentions

_UNTOLD: Final = "no figure of another period confirms it"
_OTHERWISE: Final = "the figures say otherwise"
_CALCULATED: Final = "calculated from its row"
_LARGE: Final = Decimal("1.1")
_ABOUT: Final = Decimal("0.85")
_FLAT_WITHIN: Final = Decimal("0.01")
_CHANGES: Final = re.compile(
    r"\b(?:change[ds]?|differ\w*|gain|plus|minus|more|less|fewer|above|below|swing|swung|loss|ver\u00e4nder\w*|zuwachs"
    r"|mehr|weniger|differenz|unterschied)\b|\byear[\s-](?:over|on)[\s-]year\b|\byoy\b|\b(?:up|down)\b",
    re.IGNORECASE,
)
_QUARTER_BEFORE: Final = re.compile(
    r"\b(?:a|the|one)\s+quarter\s+(?:earlier|before|ago)\b|\b(?:prior|previous|preceding|last)\s+quarter\b|\bvorquartal\w*",
    re.IGNORECASE,
)
_YEAR_BEFORE: Final = re.compile(
    r"\b(?:a|the|one)\s+year\s+(?:earlier|before|ago)\b|\b(?:prior|previous|preceding|last)[\s-]year\b|\bvorjahr\w*|\bein\s+jahr\s+zuvor"
    r"|\byear[\s-](?:on|over)[\s-]year\b",
    re.IGNORECASE,
)
_BESIDE_CHANGE: Final = re.compile(
    r"\s*(?:(?P<more>more|mehr|above|higher|h\u00f6her|\u00fcber)|(?P<less>less|weniger|below|lower|fewer|niedriger|unter))\b",
    re.IGNORECASE,
)
_DIFFERENCE: Final = re.compile(r"\b(?:difference|change|ver\u00e4nderung|differenz)\s*:?\s*$", re.IGNORECASE)
_THAN: Final = re.compile(
    r"\b(?:(?P<more>(?:higher|larger|greater|bigger|more)\s+than|(?:h\u00f6her|gr\u00f6\u00dfer|mehr)\s+als|exceed\w*|beat|outperform\w*"
    r"|ahead\s+of|above|\u00fcbertraf\w*)"
    r"|(?P<less>(?:lower|smaller|less|fewer)\s+than|(?:niedriger|kleiner|geringer|weniger)\s+als|lag(?:s|ged)|behind|trail\w*"
    r"|underperform\w*|below))\b",
    re.IGNORECASE,
)
_SLIGHTLY: Final = re.compile(
    r"\b(?:slight(?:ly)?|marginal(?:ly)?|modest(?:ly)?|leicht|geringf\u00fcgig)\b", re.IGNORECASE
)
_SLIGHT: Final = Decimal("0.1")
_FRACTION: Final = re.compile(
    r"(?:\b(?P<hedge>more\s+than|over|less\s+than|under|nearly|almost|about|around|roughly|some|mehr\s+als|weniger\s+als"
    r"|\u00fcber|unter|fast|rund|etwa|knapp|gut)\s+)?"
    r"(?:\b(?:an?|one|eine?[mnrs]?)\s+(?P<part>third|quarter|fifth|tenth|drittel|viertel|f\u00fcnftel|zehntel)\b"
    r"|\b(?:die\s+|der\s+)?(?P<half>half|h\u00e4lfte)\b(?!\s*-?\s*year))(?!\s+(?:time|earlier|ago|before))",
    re.IGNORECASE,
)
_PARTS_OF_ONE: Final = {
    **dict.fromkeys(("half", "h\u00e4lfte"), Decimal(1) / 2),
    **dict.fromkeys(("third", "drittel"), Decimal(1) / 3),
    **dict.fromkeys(("quarter", "viertel"), Decimal(1) / 4),
    **dict.fromkeys(("fifth", "f\u00fcnftel"), Decimal(1) / 5),
    **dict.fromkeys(("tenth", "zehntel"), Decimal(1) / 10),
}
_MORE: Final = ("more than", "over", "mehr als", "\u00fcber", "gut")
_LESS: Final = ("less than", "under", "weniger als", "unter")
_NEARLY: Final = ("nearly", "almost", "fast", "knapp")
_FROM: Final = re.compile(r"\bfrom\s+(?:\w+\s+){0,3}$|\bvon\s+$", re.IGNORECASE)
_OVER_YEARS: Final = re.compile(r"\b(?:years?|periods?|quarters?|since|jahre?n?|zeitraum)\b", re.IGNORECASE)
_OF_PARTS: Final = re.compile(
    r"\b(?:segments?|parts?|business(?:es)?|divisions?|regions?|categor\w+|products?|areas?|units?|lines?|which\s+of\s+the(?!\s+years)"
    r"|segmente?s?|sparten?|bereiche?s?|teile?s?)\b",
    re.IGNORECASE,
)
_IN_A_YEAR: Final = re.compile(
    r"\W*(?:in|im)\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?:FY\s?)?(?:(?:19|20)?\d\d|jahr)\b", re.IGNORECASE
)
_MOST_ASKED: Final = re.compile(rf"{LARGEST.pattern}|\\bmost\\b|\\bmeisten\\b", re.IGNORECASE)
_LEAST_ASKED: Final = re.compile(rf"{SMALLEST.pattern}|\\bleast\\b|\\bwenigsten\\b", re.IGNORECASE)
_TOTAL: Final = re.compile(r"\b(?:total|sum|net|gross|subtotal|summe|gesamt\w*|insgesamt)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two figures of one row: of a later and an earlier time."""

    later: Figure
    earlier: Figure

    def values(self, text: str) -> tuple[Decimal, Decimal]:
        """Return the later and the earlier value. Outflows and losses, printed as negatives, count by their size."""
        later, earlier = (_value(each) for each in (self.later, self.earlier))
        sizes = later <= 0 and earlier <= 0 and (OUTFLOW.search(f"{self.later.label_text} {text}") is not None)
        return (abs(later), abs(earlier)) if sizes else (later, earlier)


def speaks_of_change(spoken: Spoken) -> bool:
    """Return whether a sentence gives a change; only then may a figure be the difference between two of its row."""
    text = spoken.text
    # "That is 11.5 %", after a sentence on a row.
    return any(pattern.search(text) for pattern in (UP, DOWN, FLAT, _CHANGES)) or (
        bool(spoken.said.rows) and not _telling(spoken)
    )


def work_out_change(number: Number, spoken: Spoken, bound: Sequence[Bound]) -> Bound | None:
    """Return a change as bound, if it follows from the row of which the sentence speaks; None if nothing follows."""
    stated = _from_to(None, spoken, bound)
    for pair in [stated] if stated else _pairs(spoken, bound):
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
    for after, before in _result_pairs(spoken):
        change = abs(after.number.value - before.number.value) * (100 if number.unit is NumberUnit.BASIS_POINTS else 1)
        fell = after.number.value < before.number.value
        if _DIFFERENCE.search(spoken.text[: number.start]) and number.negative != fell:
            continue
        if points and after.number.percent and before.number.percent and change == number.value:
            return Bound(number=number, supported=True, note=_CALCULATED, ref_id=after.ref_id)
    return None


def _result_pairs(spoken: Spoken) -> Iterator[tuple[Result, Result]]:
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
        return points == number.value or points.quantize(Decimal(1).scaleb(-number.decimals)) == number.value
    plain = [each.scaleb(exponent - number.exponent) for each in sizes for exponent in {0, scale}]
    claimed = -number.value if number.negative else number.value
    return any(each.quantize(Decimal(1).scaleb(-number.decimals)) == claimed for each in plain)


def _is_rate(figure: Figure) -> bool:
    """Return whether a figure is itself given in per cent."""
    return figure.number.unit is NumberUnit.PERCENT or bool(units_in(f"{figure.label_text} {figure.column}"))


def check_directions(spoken: Spoken, bound: Sequence[Bound], results: Sequence[Result]) -> Iterator[Finding]:
    """Check each word of a sentence that compares its figures, or those from which it calculates."""
    text = spoken.text
    operands = [each for result in results for each in result.operands]
    bound = [*bound, *(Bound(number=each.number, supported=True, note="", figure=each) for each in operands)]
    for found in FACTOR.finditer(text):
        yield _finding(FindingType.COMPARISON, found.group(), _factor(found, spoken, bound))
    if speaks_of_change(spoken):
        for found in _FRACTION.finditer(text):
            yield _finding(FindingType.COMPARISON, found.group().strip(), _fraction(found, spoken, bound))
    for pattern, sign in ((LARGEST, 1), (SMALLEST, -1)):
        for found in pattern.finditer(text):
            yield _finding(FindingType.COMPARISON, found.group(), _extreme(found, sign, spoken, bound))
    for found in _SLIGHTLY.finditer(text):
        yield from _slight(found, spoken, bound)
    for found in _THAN.finditer(text):
        yield from _more_or_less(found, bound)
    yield from _check_changes(spoken, bound)
    yield from _extreme_asked(spoken, bound)
    for pattern, sign in ((UP, 1), (DOWN, -1), (FLAT, 0)):
        for found in pattern.finditer(text):
            if not _is_of_a_name(found.group(), spoken, bound) and not _compares_rows(found, spoken, bound):
                yield _finding(FindingType.DIRECTION, found.group(), _moved(found, sign, spoken, bound))


def rows_compared(spoken: Spoken, bound: Sequence[Bound]) -> tuple[Figure, ...]:
    """Return figures of the rows that a sentence compares without giving a figure: "Revenue rose in 2024"."""
    text = spoken.text
    asked = spoken.evidence.analysis.text
    named_alone = not bound and _OF_PARTS.search(asked) and (_MOST_ASKED.search(asked) or _LEAST_ASKED.search(asked))
    if not named_alone and not any(pattern.search(text) for pattern in (UP, DOWN, FLAT, FACTOR, LARGEST, SMALLEST)):
        return ()
    changes = any(each.supported and each.figure is None and each.ref_id for each in bound)
    rows = _named_rows(spoken)
    if not rows and (changes or not _telling(spoken)):
        rows = _rows_said(spoken) or _rows_asked(spoken)
    return tuple(row[0] for row in rows)


def _telling(spoken: Spoken) -> frozenset[str]:
    language = spoken.evidence.analysis.language
    said = frozenset(word_terms(blank_places(spoken.text), language))
    return said - plain_terms(language) - moving_terms(language) - calculated_terms(language)


def _is_of_a_name(word: str, spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a word belongs to a row's name: "decrease in inventories", "gains"."""
    rows = [*(each.figure for each in bound if each.figure), *(row[0] for row in _named_rows(spoken))]
    return any(word.lower() in f"{each.label_text} {each.heading}".lower() for each in rows)


def _moved(found: re.Match[str], sign: int, spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if told and any(_agrees(sign, each.piece) for each in told):
        return True, told[0].ref_id
    stated = _from_to(found, spoken, bound)
    pairs = _pairs(spoken, bound) if stated is None else [stated]
    if not pairs or len([each for each in bound if each.figure is None and each.number.percent]) > 1:
        for later_result, earlier_result in _result_pairs(spoken):
            values = [
                -each.number.value if each.number.negative else each.number.value
                for each in (later_result, earlier_result)
            ]
            if (values[0] > values[1]) - (values[0] < values[1]) == sign:
                return True, later_result.ref_id
    if not pairs:
        return False, _UNTOLD if not told else _OTHERWISE
    nearest = _nearest(found, pairs, spoken, bound)
    for pair in (each for each in pairs if each.later is nearest.later):
        later, earlier = pair.values(spoken.text)
        flat = abs(later - earlier) <= abs(earlier) * _FLAT_WITHIN
        if flat if sign == 0 else (later > earlier) - (later < earlier) == sign:
            return True, pair.later.ref_id
    return False, _OTHERWISE


def _agrees(sign: int, piece: str) -> bool:
    if sign == 0:
        return FLAT.search(piece) is not None
    return (UP if sign > 0 else DOWN).search(piece) is not None and direction_of(piece) in (sign, 0)


def _from_to(found: re.Match[str] | None, spoken: Spoken, bound: Sequence[Bound]) -> Pair | None:
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


def _one_row(first: Bound, second: Bound) -> bool:
    one, two = first.figure, second.figure
    return one is not None and two is not None and one.label_text == two.label_text


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


def _pairs(spoken: Spoken, bound: Sequence[Bound]) -> list[Pair]:
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
        for named in _named_rows(spoken) or _rows_said(spoken) or _rows_asked(spoken):
            found.extend(pair for each in _latest(named, spoken) for pair in _with_the_one_before(each, named, spoken))
    return found


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


def time_of(figure: Figure) -> tuple[int, int] | None:
    """Return the year and quarter of a figure's column; None if it names none or several."""
    if len(figure.years) != 1:
        return None
    periods = read_period_mentions(figure.column).named
    return next(iter(figure.years)), max((each.period.fiscal_quarter for each in periods), default=0)


def _with_the_one_before(figure: Figure, row: Sequence[Figure], spoken: Spoken) -> Iterator[Pair]:
    """Yield a figure with that of the period with which it is compared: the one that is named, or else the one before."""
    time = time_of(figure)
    if time is None:
        return
    text = spoken.text if len(years_of(spoken.text)) > 1 else spoken.evidence.analysis.text
    periods = [each.period for each in read_period_mentions(text).named]
    named = {(each.fiscal_year, each.fiscal_quarter) for each in periods} - {time}
    before = (time[0] - 1, time[1])
    sequential = (time[0], time[1] - 1) if time[1] > 1 else (time[0] - 1, 4)
    if _QUARTER_BEFORE.search(spoken.text):
        named = {sequential}
    elif _YEAR_BEFORE.search(spoken.text):
        named = {before}
    wanted = [each for each in sorted(named, reverse=True) if each < time] or [
        before,
        *([sequential] if time[1] else []),
    ]
    by_time = {
        at: each
        for each in row
        if each is not figure and (at := time_of(each)) is not None and each.number.unit is figure.number.unit
    }
    found = [by_time[each] for each in wanted if each in by_time and _same_kind(by_time[each], figure)]
    # Where the sentence says no more, the period before may be that of the year before or the last one.
    yield from (Pair(later=figure, earlier=each) for each in found)


def _same_kind(one: Figure, other: Figure) -> bool:
    """Return whether two columns are alike but for their years: quarters with quarters."""
    blank = re.compile(r"\d")
    return blank.sub("", one.column).strip().lower() == blank.sub("", other.column).strip().lower()


def _named_rows(spoken: Spoken) -> list[tuple[Figure, ...]]:
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


def _rows_said(spoken: Spoken) -> list[tuple[Figure, ...]]:
    return [spoken.evidence.row_of(each) for each in spoken.said.rows[-1:]]


def _rows_asked(spoken: Spoken) -> list[tuple[Figure, ...]]:
    """Return the rows for which the question asks, for a sentence that names none: "Up 4.8 %"."""
    return rows_named(spoken.evidence, spoken.evidence.asked_words)


def _compares_rows(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a word compares two rows, which is checked by itself: "X was lower than Y"."""
    rows = {each.figure.label_text for each in bound if each.figure is not None}
    return len(rows) == 2 and any(than.start() == found.start() for than in _THAN.finditer(spoken.text))


def _check_changes(spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check "117 less than a year earlier", and that what is said to be a quarter or a year before is that."""
    for each in bound:
        beside = _BESIDE_CHANGE.match(spoken.text, each.number.end) if each.pair is not None else None
        if beside is not None and each.pair is not None:
            later, earlier = Pair(later=each.pair[0], earlier=each.pair[1]).values(spoken.text)
            holds = later > earlier if beside["more"] else later < earlier
            yield _finding(FindingType.DIRECTION, beside.group().strip(), (holds, each.ref_id if holds else _OTHERWISE))
    stated = _from_to(None, spoken, bound)
    for pair in [stated] if stated is not None else _pairs(spoken, bound)[:1]:
        late, early = time_of(pair.later), time_of(pair.earlier)
        if late is None or early is None:
            continue
        sequential = (late[0], late[1] - 1) if late[1] > 1 else (late[0] - 1, 4 if late[1] else 0)
        before = (late[0] - 1, late[1])
        told = [(_QUARTER_BEFORE.search(spoken.text), sequential), (_YEAR_BEFORE.search(spoken.text), before)]
        wrong = any(found is not None and time != early for found, time in told if late[1])
        if stated is not None and not any(found for found, _ in told) and not _names(early, spoken):
            wrong = early not in (sequential, before)
        if wrong:
            yield _finding(FindingType.COMPARISON, pair.earlier.number.text, (False, "of another period"))


def _names(time: tuple[int, int], spoken: Spoken) -> bool:
    """Return whether the sentence or the question names a time."""
    return any(time[0] in years_of(text) for text in (spoken.text, spoken.evidence.analysis.text))


def _slight(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    for pair in _pairs(spoken, bound)[:1]:
        later, earlier = pair.values(spoken.text)
        if earlier:
            holds = abs((later - earlier) / earlier) < _SLIGHT
            yield _finding(FindingType.COMPARISON, found.group(), (holds, pair.later.ref_id if holds else _OTHERWISE))


def _more_or_less(found: re.Match[str], bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check "64 in 2024, more than the 48 of 2023", and "X was lower than Y (5 against 7)"."""
    cells = [each for each in bound if each.figure is not None and each.note]
    if len(cells) != 2 or any(pattern.match(found.string, found.start()) for pattern in (_FRACTION, FACTOR)):
        return
    first, second = (_value(each.figure) for each in cells if each.figure is not None)
    if first < 0 and second < 0:
        first, second = -first, -second
    holds = first > second if found["more"] else first < second
    figure = cells[0].figure
    yield _finding(
        FindingType.COMPARISON, found.group(), (holds, figure.ref_id if holds and figure is not None else _OTHERWISE)
    )


def _extreme_asked(spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check the one that an answer names to "which is the largest": it says so without the word."""
    if LARGEST.search(spoken.text) or SMALLEST.search(spoken.text) or _telling_more(spoken, bound):
        return
    asked = spoken.evidence.analysis.text
    for pattern, sign in ((_MOST_ASKED, 1), (_LEAST_ASKED, -1)):
        if (found := pattern.search(asked)) is not None and _OF_PARTS.search(asked):
            yield _finding(FindingType.COMPARISON, found.group(), _extreme(found, sign, spoken, bound))
            return


def _telling_more(spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a sentence says more than the name of one row, and its figure."""
    rows = [*(each.figure for each in bound if each.figure is not None), *(row[0] for row in _named_rows(spoken))]
    if len({(each.ref_id, each.at) for each in rows}) != 1:
        return True
    return bool(_telling(spoken) - spoken.evidence.sources.label(rows[0]).vocabulary)


def _peers(
    found: re.Match[str], behind: str, column: list[Figure], row: list[Figure], spoken: Spoken
) -> list[list[Figure]]:
    """Return among which figures one is the largest: those of its column, of the other years, or either."""
    told = f"{spoken.text} {spoken.evidence.analysis.text}"
    if _OVER_YEARS.search(behind) or (_IN_A_YEAR.match(behind) and not _OF_PARTS.search(spoken.text)):
        return [row]
    return [column] if _OF_PARTS.search(told) else [column, row]


def _factor(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if told and any(FACTOR.search(each.piece) for each in told):
        return True, told[0].ref_id
    stated = _from_to(found, spoken, bound)
    pairs = _pairs(spoken, bound) if stated is None else [stated]
    wanted, hedge = factor_of(found["word"]), (found["hedge"] or "").lower()
    for pair in pairs:
        later, earlier = pair.values(spoken.text)
        if earlier <= 0:
            continue
        times = later / earlier
        grows = wanted > 1
        if hedge in ("more than", "over", "mehr als"):
            holds = times > wanted if grows else times < wanted
        elif hedge in ("nearly", "almost", "fast"):
            holds = wanted / _LARGE <= times < wanted if grows else wanted < times <= wanted * _LARGE
        else:
            holds = wanted / _LARGE <= times <= wanted * _LARGE
        return holds, pair.later.ref_id if holds else _OTHERWISE
    return False, _UNTOLD


def _fraction(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    """Check "by about a fifth", "by less than a tenth"."""
    stated = _from_to(found, spoken, bound)
    note = _UNTOLD
    part, hedge = _PARTS_OF_ONE[(found["part"] or found["half"]).lower()], (found["hedge"] or "").lower()
    for pair in _pairs(spoken, bound) if stated is None else [stated]:
        later, earlier = pair.values(spoken.text)
        if not earlier:
            continue
        rate = abs((later - earlier) / earlier)
        if hedge in _MORE:
            holds = rate > part
        elif hedge in _LESS:
            holds = rate < part
        elif hedge in _NEARLY:
            holds = part * _ABOUT < rate < part
        else:
            holds = part * _ABOUT <= rate <= part * (2 - _ABOUT)
        if holds:
            return True, pair.later.ref_id
        note = _OTHERWISE
    return False, note


def _extreme(found: re.Match[str], sign: int, spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    """Check "the largest": of its column among rows of one kind, or of its row over the years."""
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if any((LARGEST if sign > 0 else SMALLEST).search(each.piece) for each in told):
        return True, told[0].ref_id
    cells = [each.figure for each in bound if each.figure is not None and each.figure.is_cell]
    if not cells:
        years = years_of(spoken.text) or reference_years(spoken)
        cells = [each for row in _named_rows(spoken) for each in row if not each.years or each.years & years][:1]
    behind = spoken.text[found.end() :]
    for figure in cells:
        row = [each for each in spoken.evidence.row_of(figure) if each.years and each is not figure]
        column = [
            each
            for each in spoken.evidence.figures
            if each.is_cell
            and each.ref_id == figure.ref_id
            and each.column == figure.column
            and each.heading == figure.heading
            and each.at != figure.at
            and not _TOTAL.search(each.label_text)
            and each.label_text.rpartition(":")[0] == figure.label_text.rpartition(":")[0]
        ]
        for others in _peers(found, behind, column, row, spoken):
            values = [abs(_value(each)) for each in others]
            own = abs(_value(figure))
            if values and all(own >= each if sign > 0 else own <= each for each in values):
                return True, figure.ref_id
    return False, _OTHERWISE if cells else _UNTOLD


def _value(figure: Figure) -> Decimal:
    return -figure.number.scaled if figure.number.negative else figure.number.scaled


def _finding(kind: FindingType, word: str, outcome: tuple[bool, str]) -> Finding:
    supported, told = outcome
    return Finding(
        type=kind,
        value=word,
        supported=supported,
        ref_id=told if supported else "",
        note="computed from its figures" if supported else told,
    )
