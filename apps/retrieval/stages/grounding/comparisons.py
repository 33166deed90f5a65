"""What a sentence compares beyond up and down: how often, which share, the largest, more than another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Final

from apps.filings.text.bindings import years_of
from apps.retrieval.contracts import Finding, FindingType
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.grounding.moving_words import (
    FACTOR,
    LARGEST,
    SMALLEST,
    factor_of,
)
from apps.retrieval.stages.grounding.pairs import (
    OTHERWISE,
    UNTOLD,
    make_finding,
    named_rows,
    read_from_to,
    read_pairs,
    telling_of,
    value_of,
)
from apps.retrieval.stages.grounding.spoken import Bound, Spoken, reference_years

_LARGE: Final = Decimal("1.1")
_ABOUT: Final = Decimal("0.85")
THAN: Final = re.compile(
    r"\b(?:(?P<more>(?:higher|larger|greater|bigger|more)\s+than|(?:h\u00f6her|gr\u00f6\u00dfer|mehr)\s+als|exceed\w*|beat|outperform\w*"
    r"|ahead\s+of|above|\u00fcbertraf\w*)"
    r"|(?P<less>(?:lower|smaller|less|fewer)\s+than|(?:niedriger|kleiner|geringer|weniger)\s+als|lag(?:s|ged)|behind|trail\w*"
    r"|underperform\w*|below))\b",
    re.IGNORECASE,
)
SLIGHTLY: Final = re.compile(
    r"\b(?:slight(?:ly)?|marginal(?:ly)?|modest(?:ly)?|leicht|geringf\u00fcgig)\b", re.IGNORECASE
)
_SLIGHT: Final = Decimal("0.1")
FRACTION: Final = re.compile(
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
_OVER_YEARS: Final = re.compile(r"\b(?:years?|periods?|quarters?|since|jahre?n?|zeitraum)\b", re.IGNORECASE)
OF_PARTS: Final = re.compile(
    r"\b(?:segments?|parts?|business(?:es)?|divisions?|regions?|categor\w+|products?|areas?|units?|lines?|which\s+of\s+the(?!\s+years)"
    r"|segmente?s?|sparten?|bereiche?s?|teile?s?)\b",
    re.IGNORECASE,
)
_IN_A_YEAR: Final = re.compile(
    r"\W*(?:in|im)\s+(?:the\s+)?(?:fiscal\s+)?(?:year\s+)?(?:FY\s?)?(?:(?:19|20)?\d\d|jahr)\b", re.IGNORECASE
)
MOST_ASKED: Final = re.compile(rf"{LARGEST.pattern}|\bmeisten\b", re.IGNORECASE)
LEAST_ASKED: Final = re.compile(rf"{SMALLEST.pattern}|\bwenigsten\b", re.IGNORECASE)
_TOTAL: Final = re.compile(r"\b(?:total|sum|net|gross|subtotal|summe|gesamt\w*|insgesamt)\b", re.IGNORECASE)


def check_factor(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if told and any(FACTOR.search(each.piece) for each in told):
        return True, told[0].ref_id
    stated = read_from_to(found, spoken, bound)
    pairs = read_pairs(spoken, bound) if stated is None else [stated]
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
        return holds, pair.later.ref_id if holds else OTHERWISE
    return False, UNTOLD


def check_fraction(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    """Check "by about a fifth", "by less than a tenth"."""
    stated = read_from_to(found, spoken, bound)
    note = UNTOLD
    part, hedge = _PARTS_OF_ONE[(found["part"] or found["half"]).lower()], (found["hedge"] or "").lower()
    for pair in read_pairs(spoken, bound) if stated is None else [stated]:
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
        note = OTHERWISE
    return False, note


def check_slight(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    for pair in read_pairs(spoken, bound)[:1]:
        later, earlier = pair.values(spoken.text)
        if earlier:
            holds = abs((later - earlier) / earlier) < _SLIGHT
            yield make_finding(
                FindingType.COMPARISON, found.group(), (holds, pair.later.ref_id if holds else OTHERWISE)
            )


def check_more_or_less(found: re.Match[str], bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check "64 in 2024, more than the 48 of 2023", and "X was lower than Y (5 against 7)"."""
    cells = [each for each in bound if each.figure is not None and each.note]
    if len(cells) != 2 or any(pattern.match(found.string, found.start()) for pattern in (FRACTION, FACTOR)):
        return
    first, second = (value_of(each.figure) for each in cells if each.figure is not None)
    if first < 0 and second < 0:
        first, second = -first, -second
    holds = first > second if found["more"] else first < second
    figure = cells[0].figure
    yield make_finding(
        FindingType.COMPARISON, found.group(), (holds, figure.ref_id if holds and figure is not None else OTHERWISE)
    )


def compares_rows(found: re.Match[str], spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a word compares two rows, which is checked by itself: "X was lower than Y"."""
    rows = {each.figure.label_text for each in bound if each.figure is not None}
    return len(rows) == 2 and any(than.start() == found.start() for than in THAN.finditer(spoken.text))


def check_extreme(found: re.Match[str], sign: int, spoken: Spoken, bound: Sequence[Bound]) -> tuple[bool, str]:
    """Check "the largest": of its column among rows of one kind, or of its row over the years."""
    told = [each.figure for each in bound if each.figure is not None and not each.figure.is_cell]
    if any((LARGEST if sign > 0 else SMALLEST).search(each.piece) for each in told):
        return True, told[0].ref_id
    cells = [each.figure for each in bound if each.figure is not None and each.figure.is_cell]
    if not cells:
        years = years_of(spoken.text) or reference_years(spoken)
        cells = [each for row in named_rows(spoken) for each in row if not each.years or each.years & years][:1]
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
            values = [abs(value_of(each)) for each in others]
            own = abs(value_of(figure))
            if values and all(own >= each if sign > 0 else own <= each for each in values):
                return True, figure.ref_id
    return False, OTHERWISE if cells else UNTOLD


def check_extreme_asked(spoken: Spoken, bound: Sequence[Bound]) -> Iterator[Finding]:
    """Check the one that an answer names to "which is the largest": it says so without the word."""
    if LARGEST.search(spoken.text) or SMALLEST.search(spoken.text) or _telling_more(spoken, bound):
        return
    asked = spoken.evidence.analysis.text
    for pattern, sign in ((MOST_ASKED, 1), (LEAST_ASKED, -1)):
        if (found := pattern.search(asked)) is not None and OF_PARTS.search(asked):
            yield make_finding(FindingType.COMPARISON, found.group(), check_extreme(found, sign, spoken, bound))
            return


def _telling_more(spoken: Spoken, bound: Sequence[Bound]) -> bool:
    """Return whether a sentence says more than the name of one row, and its figure."""
    rows = [*(each.figure for each in bound if each.figure is not None), *(row[0] for row in named_rows(spoken))]
    if len({(each.ref_id, each.at) for each in rows}) != 1:
        return True
    return bool(telling_of(spoken) - spoken.evidence.sources.label(rows[0]).vocabulary)


def _peers(
    found: re.Match[str], behind: str, column: list[Figure], row: list[Figure], spoken: Spoken
) -> list[list[Figure]]:
    """Return among which figures one is the largest: those of its column, of the other years, or either."""
    told = f"{spoken.text} {spoken.evidence.analysis.text}"
    if _OVER_YEARS.search(behind) or (_IN_A_YEAR.match(behind) and not OF_PARTS.search(spoken.text)):
        return [row]
    return [column] if OF_PARTS.search(told) else [column, row]
