"""Read the fiscal periods of a question: those it names, and those it states relative to what is held.

Nothing here reads a clock or the corpus; periods.py turns the mentions into filters.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.filings.periods import Period
from apps.filings.text.mentions import Mention, blank_mentions

_ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "final": 4,
    "last": 4,
}
# German ordinals by their stems: "drittes", "des dritten".
_GERMAN_ORDINALS: Final = {"erste": 1, "zweite": 2, "dritte": 3, "vierte": 4}
_COUNTED: Final = (
    "two three four five six seven eight nine ten eleven twelve",
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
)
_COUNTS: Final = {word: number for words in _COUNTED for number, word in enumerate(words.split(), start=2)}
_COUNT: Final = rf"(?P<count>1[0-2]|[1-9]|{'|'.join(_COUNTS)})"
# Two digits before a hyphen are not a year ("Q4 30-day volatility").
_YEAR: Final = r"(?P<year>['\u2019]?(?:(?:19|20)\d{2}|\d{2}(?!-)))(?!\w|[.,]\d|\s?%)"
_FISCAL: Final = r"(?:fiscal\s+year|financial\s+year|fiscal|FY|(?:Geschäfts|Berichts)jahr(?:e?s)?|GJ)"
_ORDINAL: Final = "|".join(_ORDINALS)

# Tried in this order. What one pattern has read is blanked out for the next. Blanks are never given back (*+): where
# three parts may take them, 2,400 blanks after "Q4" took four seconds.
_QUARTER_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bQ(?P<quarter>[1-4])\s*+[-\u2013/]?\s*+(?:of\s++)?(?:the\s++)?(?:{_FISCAL}\s*+)?{_YEAR}",
        rf"\b(?P<quarter>[1-4])Q\s*['\u2019]?{_YEAR}",
        rf"\b(?:{_FISCAL}\s*+)?(?P<year>(?:19|20)\d{{2}})\s*+[-\u2013/]?\s*+Q(?P<quarter>[1-4])\b",
        r"\bFY\s?(?P<year>\d{2})\s?Q(?P<quarter>[1-4])\b",
        rf"\b(?P<quarter>{_ORDINAL})\s+(?:fiscal\s+)?quarter\s+(?:of\s+|in\s+)?(?:the\s+)?(?:{_FISCAL}\s*)?{_YEAR}",
        rf"\b(?P<quarter>{'|'.join(_GERMAN_ORDINALS)}|[1-4]\.)[nrsm]?\s*Quartals?\s+"
        rf"(?:von\s+|im\s+(?:Jahre?\s+)?|des\s+(?:Jahres\s+)?)?(?:{_FISCAL}\s*)?{_YEAR}",
        rf"\b(?:{_FISCAL}\s*)?(?P<year>(?:19|20)\d{{2}})(?:['\u2019]s)?,?\s+(?P<quarter>{_ORDINAL})\s+(?:fiscal\s+)?quarter\b",
    )
)
_HALF: Final = re.compile(rf"\bH(?P<half>[12])\s*(?:of\s+)?(?:{_FISCAL}\s*)?{_YEAR}", re.IGNORECASE)
_RANGE: Final = re.compile(
    r"\b(?:from\s+|between\s+)?(?:FY\s?|fiscal\s+(?:years?\s+)?)(?P<first>(?:19|20)\d{2})\s*(?:-|\u2013|\u2014|to|through|until)\s*(?:FY\s?)?(?P<last>(?:19|20)\d{2})\b",
    re.IGNORECASE,
)
# "2022-24", "FY21 to FY24", "22 v 24": the second year, or both, in two digits.
_SHORT_RANGES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?<![\w.,/])(?:FY\s?)?(?P<first>(?:19|20)\d{2})\s*(?:-|\u2013|to|bis)\s*(?:FY\s?)?['\u2019]?(?P<last>\d{2})(?![\w%/-]|[.,]\d)",
        r"\bFY\s?(?P<first>\d{2})\s*(?:-|\u2013|to|bis)\s*(?:FY\s?)?(?P<last>\d{2})(?![\w%/-]|[.,]\d)",
        r"(?<![\w'\u2019])['\u2019](?P<first>\d{2})\s*(?:-|\u2013|to|through|bis)\s*['\u2019]?(?P<last>\d{2})(?![\w%/-]|[.,]\d)",
        r"(?<![\w.,/\u2013-])(?P<first>1[5-9]|2\d)\s*(?:-|\u2013|vs?\.?)\s*(?P<last>1[5-9]|2\d)"
        r"(?=\s*(?:$|[),;?!]|(?:for|at|in|of)\b))",
    )
)
_SPLIT_YEAR: Final = re.compile(
    r"(?P<first>(?<![\d/.])(?:19|20)\d{2}|(?:(?<![\w/.,])|(?<=\bFY)|(?<=\bGJ))(?:1[5-9]|[2-4]\d))/(?P<last>\d{2})(?![\d%]|[/.,]\d)"
    r"|(?<=jahr )(?P<begun>(?:19|20)\d{2})/(?P<ended>(?:19|20)\d{2})(?![\d%]|[/.,]\d)",
    re.IGNORECASE,
)
_FISCAL_YEAR: Final = re.compile(rf"\b(?:{_FISCAL}\s?|F(?=\d\d\b)){_YEAR}", re.IGNORECASE)
_APOSTROPHE_YEAR: Final = re.compile(r"(?<![\w'\u2019])['\u2019](?P<year>[0-4]\d)(?![\w%'\u2019]|[.,]\d)")
# "Fiscal 2022, 2023 and 2024": the first word counts for all years of a list.
_FISCAL_LIST: Final = re.compile(
    rf"\b{_FISCAL}\s?(?:19|20)\d{{2}}(?:\s*+(?:,(?:\s*+(?:and|or|und|oder))?|/|&|\+|\b(?:and|or|vs\.?|versus|und|oder))\s*+"
    rf"(?:{_FISCAL}\s?)?(?:19|20)\d{{2}}(?![\w/%]|[.,]\d))++",
    re.IGNORECASE,
)
_A_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d{2}(?!\d)")
_BARE_YEAR: Final = re.compile(r"(?<![\w.,$€£])(?P<year>(?:19|20)\d{2})(?![\w%]|[.,]\d)")
_LATEST: Final = r"(?:last|latest|most\s+recent|current|this|newest)"
_PREVIOUS: Final = r"(?:previous|prior|preceding)"
_GERMAN_LATEST: Final = r"(?:(?:letzt|vergangen|jüngst|neuest|aktuell|laufend|abgelaufen|dies)e[nrsm]?)"
_GERMAN_PREVIOUS: Final = r"(?:(?:vorig|vorherig|vorangegangen|vorletzt)e[nrsm]?)"
_GERMAN_UNIT: Final = r"(?P<unit>Quartal|(?:Geschäfts|Berichts)?jahr)"
_UNIT: Final = r"(?:fiscal\s+|financial\s+)?(?P<unit>quarter|year)"
_TWELVE_MONTHS: Final = re.compile(
    r"\b(?:LTM|TTM)\b|"
    r"\b(?:the\s+)?(?:last|latest|most\s+recent|past|trailing|rolling)[\s-]+(?:12|twelve)[\s-]+months?\b|"
    rf"\b(?:{_GERMAN_LATEST}|zurückliegende[nrsm]?)\s+(?:12|zwölf)\s+Monaten?\b",
    re.IGNORECASE,
)
_COMPARED: Final = (
    re.compile(r"\b(?P<unit>year|quarter)[\s-](?:over|on|to)[\s-](?:year|quarter)\b", re.IGNORECASE),
    re.compile(r"\b(?P<unit>yoy|qoq)\b", re.IGNORECASE),
)
_RELATIVE: Final = (
    re.compile(
        rf"\b(?:the\s+)?(?P<word>{_LATEST}|past|trailing|{_PREVIOUS})\s+{_COUNT}\s+"
        rf"(?:fiscal\s+)?(?P<unit>quarter|year)s\b",
        re.IGNORECASE,
    ),
    # "Last quarters drawdown" lacks its apostrophe; "over the last quarters" names no period.
    re.compile(rf"(?<!\bthe\s)\b(?P<word>{_LATEST}|{_PREVIOUS})\s+{_UNIT}s(?=\s+[a-z])", re.IGNORECASE),
    re.compile(rf"\b(?:the\s+)?(?P<word>{_LATEST}|past|{_PREVIOUS})\s+{_UNIT}(?:['\u2019]s)?\b", re.IGNORECASE),
    re.compile(
        r"\b(?:the\s+)?(?P<word>latest|most\s+recent|newest|last)\s+(?=\w*report|filing|figure|value|number|run|results)",
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?P<word>(?:letzt|jüngst|neuest|aktuell(?:st)?)e[nrsm]?)\s+"
        r"(?=\w*(?:bericht(?:e?s|en?)?|zahl(?:en)?|wert(?:e?s|en?)?)\b)",
        re.IGNORECASE,
    ),
    re.compile(r"\b(?:the|a|one)\s+(?P<unit>quarter|year)\s+(?P<word>before|earlier)\b(?!\s+last)", re.IGNORECASE),
    re.compile(
        rf"\b(?P<word>{_GERMAN_LATEST}|{_GERMAN_PREVIOUS})\s+{_COUNT}\s+"
        rf"{_GERMAN_UNIT}(?:e|en)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?P<word>{_GERMAN_LATEST}|{_GERMAN_PREVIOUS})\s+{_GERMAN_UNIT}(?:e?s)?\b", re.IGNORECASE),
    re.compile(r"\b(?P<word>Vor)(?P<unit>quartal|jahr)(?:e?s)?\b", re.IGNORECASE),
)
_BACK: Final = re.compile(rf"{_PREVIOUS}|{_GERMAN_PREVIOUS}|before|earlier|Vor", re.IGNORECASE)
_UNITS: Final = {"quarter": "quarter", "qoq": "quarter", "quartal": "quarter"}


class RelativeUnit(StrEnum):
    QUARTER = "quarter"
    YEAR = "year"
    TWELVE_MONTHS = "twelve months"
    ANY = "period"


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPeriod:
    """A period that the question spells out. `explicit` is false for a year alone, which may mean anything."""

    period: Period
    explicit: bool
    wording: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RelativePeriod:
    """Periods that are counted back from the newest one held of a company: offset 0 is the newest itself.

    is_compared: whether it only says that a period is compared with the one before it ("year over year").
    """

    unit: RelativeUnit
    offset: int
    count: int
    wording: str
    is_compared: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodMentions:
    """All periods of a question; `rest` is the question without the words that were read here."""

    named: tuple[NamedPeriod, ...]
    relative: tuple[RelativePeriod, ...]
    rest: str


def read_period_mentions(text: str) -> PeriodMentions:
    """Read the periods of a normalised question.

    Args:    text: one line, as `validate` returns it.
    Returns: named periods, ordered by certainty and then by their place in the text; relative ones in the order of the
             text.
    """
    named: list[NamedPeriod] = []
    for pattern in _QUARTER_PATTERNS:
        for match in pattern.finditer(text):
            quarter = match["quarter"].lower()
            period = Period(fiscal_year=_year(match["year"]), fiscal_quarter=_quarter(quarter))
            named.append(_make_named_period(period, match))
        text = _blank_matches(pattern, text)
    # A half-year is reported with its second quarter.
    named.extend(
        _make_named_period(Period(fiscal_year=_year(match["year"]), fiscal_quarter=2 * int(match["half"])), match)
        for match in _HALF.finditer(text)
    )
    text = _blank_matches(_HALF, text)
    for match in _RANGE.finditer(text):
        first, last = sorted((int(match["first"]), int(match["last"])))
        # A longer span is a typing error or a span of future years (bonds "2020 to 2060"), not a set of reports.
        years = range(first, last + 1) if last - first <= 10 else (first, last)
        named.extend(_make_named_period(Period(fiscal_year=year), match) for year in years)
    text = _blank_matches(_RANGE, text)
    for pattern in _SHORT_RANGES:
        for match in pattern.finditer(text):
            first, last = _year(match["first"]), _year(match["last"])
            if first < last <= first + 10 or (pattern is _SHORT_RANGES[-1] and abs(first - last) <= 10):
                years = range(first, last + 1) if first < last and "v" not in match.group().lower() else (last, first)
                named.extend(_make_named_period(Period(fiscal_year=year), match) for year in years)
                text = blank_mentions(text, [Mention(start=match.start(), end=match.end(), text=match.group())])
    for match in _SPLIT_YEAR.finditer(text):
        if is_split_year(match):
            named.append(_make_named_period(Period(fiscal_year=_end_of_split(match)), match))
            text = blank_mentions(text, [Mention(start=match.start(), end=match.end(), text=match.group())])
    for match in _FISCAL_LIST.finditer(text):
        listed = map(int, _A_YEAR.findall(match.group()))
        named.extend(_make_named_period(Period(fiscal_year=year), match) for year in listed)
    text = _blank_matches(_FISCAL_LIST, text)
    named.extend(_make_named_period(Period(fiscal_year=_year(m["year"])), m) for m in _FISCAL_YEAR.finditer(text))
    text = _blank_matches(_FISCAL_YEAR, text)
    named.extend(
        _make_named_period(Period(fiscal_year=_year(m["year"])), m, explicit=False)
        for m in _APOSTROPHE_YEAR.finditer(text)
    )
    text = _blank_matches(_APOSTROPHE_YEAR, text)
    named.extend(
        _make_named_period(Period(fiscal_year=int(m["year"])), m, explicit=False) for m in _BARE_YEAR.finditer(text)
    )
    relative: list[tuple[int, RelativePeriod]] = [
        (match.start(), RelativePeriod(unit=RelativeUnit.TWELVE_MONTHS, offset=0, count=1, wording=_wording(match)))
        for match in _TWELVE_MONTHS.finditer(text)
    ]
    text = _blank_matches(_TWELVE_MONTHS, text)
    for pattern in (*_COMPARED, *_RELATIVE):
        relative.extend((match.start(), _relative(match)) for match in pattern.finditer(text))
        text = _blank_matches(pattern, text)
    return PeriodMentions(
        named=tuple(dict.fromkeys(named)),
        relative=tuple(mention for _, mention in sorted(relative, key=lambda pair: pair[0])),
        rest=_blank_matches(_BARE_YEAR, text),
    )


def is_split_year(match: re.Match[str]) -> bool:
    """Return whether "2023/24" is a year that began in one calendar year and ended in the next."""
    return (int(match["first"] or match["begun"]) + 1) % 100 == _end_of_split(match) % 100


def _end_of_split(match: re.Match[str]) -> int:
    return _year(match["last"] or match["ended"])


def name_split_years_by_their_end(text: str) -> str:
    """Return a text in which "2023/24" and "23/24" are 2024, as the report of such a year is called."""
    return _SPLIT_YEAR.sub(lambda match: str(_end_of_split(match)) if is_split_year(match) else match.group(), text)


def write_years_out(text: str) -> str:
    """Return a text in which "23/24" and "'24" are 2024."""
    return _APOSTROPHE_YEAR.sub(lambda match: str(_year(match["year"])), name_split_years_by_their_end(text))


def _year(digits: str) -> int:
    number = int(digits.strip("'\u2019"))
    return number if number >= 100 else 2000 + number


def _make_named_period(period: Period, match: re.Match[str], *, explicit: bool = True) -> NamedPeriod:
    return NamedPeriod(period=period, explicit=explicit, wording=_wording(match))


def _wording(match: re.Match[str]) -> str:
    return " ".join(match.group().split())


def _relative(match: re.Match[str]) -> RelativePeriod:
    groups = match.groupdict()
    wording = _wording(match)
    # "dieses Geschäftsjahr", "yoy": any unit that is not a quarter is a year.
    unit = RelativeUnit(_UNITS.get(groups["unit"].lower(), "year")) if groups.get("unit") else RelativeUnit.ANY
    if "word" not in groups:
        # Two periods are compared: the newest and the one before it.
        return RelativePeriod(unit=unit, offset=0, count=2, wording=wording, is_compared=True)
    counted = (groups.get("count") or "1").lower()
    previous = _BACK.fullmatch(groups["word"]) is not None
    return RelativePeriod(
        unit=unit, offset=1 if previous else 0, count=_COUNTS.get(counted) or int(counted), wording=wording
    )


def _quarter(word: str) -> int:
    return _ORDINALS.get(word) or _GERMAN_ORDINALS.get(word) or int(word.rstrip("."))


def _blank_matches(pattern: re.Pattern[str], text: str) -> str:
    found = [Mention(start=m.start(), end=m.end(), text=m.group()) for m in pattern.finditer(text)]
    return blank_mentions(text, found) if found else text
