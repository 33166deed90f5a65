"""Read the heading of a column: the period that it names, or that its cells are changes, notes or forecasts."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from apps.filings.text.dates import MONTH, month_number, read_dates
from apps.filings.text.period_mentions import name_split_years_by_their_end


class ColumnKind(StrEnum):
    """What the cells of a column are. Only figures become facts."""

    FIGURES = "figures"
    CHANGE = "change"
    NOTE = "note"
    FORECAST = "forecast"
    SHARE_OF = "share of"


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnPeriod:
    """What a heading says of its period; None or 0 for what it leaves open.

    months: of a flow. quarter: named by its number. named_fiscal: whether the year is called a fiscal year.
    by_year_end: whether the heading says "fiscal 2024" or "FY24", which is no calendar date.
    """

    year: int | None = None
    month: int = 0
    day: int = 0
    months: int = 0
    weeks: int = 0
    quarter: int = 0
    named_fiscal: bool = False

    @property
    def is_dated(self) -> bool:
        return self.year is not None and self.month > 0


_COUNTS: Final = {
    "three": 3,
    "six": 6,
    "nine": 9,
    "twelve": 12,
    "drei": 3,
    "sechs": 6,
    "neun": 9,
    "zw\u00f6lf": 12,
    "thirteen": 13,
    "fourteen": 14,
    "twenty-six": 26,
    "twenty-seven": 27,
    "thirty-nine": 39,
    "forty": 40,
    "fifty-two": 52,
    "fifty-three": 53,
}
_COUNT: Final = rf"(?P<count>\d{{1,2}}|{'|'.join(_COUNTS)})"
_MONTHS: Final = re.compile(rf"\b{_COUNT}[\s-]*(?:months?|monat\w*|mos?\b\.?)|\b(?P<short>3|6|9|12)M\b", re.IGNORECASE)
_WEEKS: Final = re.compile(rf"\b{_COUNT}[\s-]*(?:weeks?|wochen)\b", re.IGNORECASE)
_WEEKS_A_QUARTER: Final = {
    13: 3,
    14: 3,
    12: 3,
    16: 3,
    17: 3,
    24: 6,
    26: 6,
    27: 6,
    28: 6,
    36: 9,
    39: 9,
    40: 9,
    52: 12,
    53: 12,
}
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_QUARTER: Final = re.compile(
    rf"\bQ(?P<q>[1-4])(?!\d)|\b(?P<bq>[1-4])Q|\b(?P<word>{'|'.join(_ORDINALS)})\s+(?:fiscal\s+)?quarter"
    r"|\b(?P<german>[1-4])\.\s?Quartal",
    re.IGNORECASE,
)
_A_QUARTER: Final = re.compile(r"\bquarters?(?:ly)?\b|\bquartal\w*\b", re.IGNORECASE)
_FOUR_QUARTERS: Final = re.compile(r"\b(?:four|4|vier)\s+quart\w+|\b[LT]TM\b", re.IGNORECASE)
_HALF: Final = re.compile(
    r"\bH(?P<h>[12])(?!\d)|\b(?P<bh>[12])H(?=\d|\b)|\b(?P<german>[12])\.\s?Halbjahr", re.IGNORECASE
)
_A_HALF: Final = re.compile(r"\bhalf[\s-]?years?\b|\bhalbjahr\w*\b|\b(?:first|second)\s+half\b", re.IGNORECASE)
_A_YEAR: Final = re.compile(
    r"\b(?:fiscal|financial)?\s?years?[\s-]+end(?:ed|ing)\b|\b(?:fiscal|full|financial)\s+years?\b|\bFY|\bannual\b"
    r"|^(?:full\s+|total\s+)?year$|\b(?:gesch\u00e4fts|gesamt)?jahr(?:e?s)?\b|\bGJ\b|\bfor\s+the\s+years?\b",
    re.IGNORECASE,
)
_FISCAL: Final = re.compile(r"\bfiscal|\bFY|\bGJ\b|gesch\u00e4ftsjahr|\bfinancial\s+year", re.IGNORECASE)
_YEAR: Final = re.compile(r"(?<![\d.,$\u20ac\u00a3])(?:19|20)\d{2}(?![\d%]|[.,]\d)")
_SHORT_YEAR: Final = re.compile(
    r"(?:\bFY|\bQ[1-4]|\b[1-4]Q|\bH[12]|\b[12]H|\bGJ)\s?['\u2019]?(?P<year>\d{2})(?!\d)", re.IGNORECASE
)
_SLASHED: Final = re.compile(r"\b(?P<month>0?[1-9]|1[0-2])/(?P<day>0?[1-9]|[12]\d|3[01])/(?P<year>(?:19|20)?\d{2})\b")
_OF_MONTH: Final = re.compile(rf"\b{MONTH},?\s+(?P<year>(?:19|20)\d{{2}})\b", re.IGNORECASE)
_MONTH_ENDS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_CHANGE: Final = re.compile(
    r"%|\bchanges?\b|\bver\u00e4nderung\w*|\babweichung\w*|\bvariance|\b(?:in|de)crease\b|\bpercent\w*|\bfav\w*/|\bb/\(?w"
    r"|\bvs\b\.?|\bgrowth\b|\bdelta\b|\bdifference|\+/-|\u0394|\bbetter\b|\bprozent|\byoy\b|\by/y\b|\bbasis points?",
    re.IGNORECASE,
)
_SHARE_OF: Final = re.compile(r"(?<!\w)(?:%|percent(?:age)?)\s+of\b|\bin\s+%|\banteil\b|\bmargin\b", re.IGNORECASE)
_NOTE: Final = re.compile(
    r"^(?:notes?|anhang\w*|ref(?:erence)?s?|anm\.?|anmerkung\w*|tz\.?|ziffer|see note)\b[\s.:()\d]*$", re.IGNORECASE
)
_FORECAST: Final = re.compile(
    r"\b(?:forecast\w*|budget\w*|planned|guidance|outlook|expected|estimate[sd]?|projected|targets?|prognose\w*|geplant\w*"
    r"|erwartet\w*|ausblick|plan(?:wert|zahl)?\w*|pro[\s-]?forma)\b|(?:19|20)\d\d(?:E|e|F|B|P)\b",
    re.IGNORECASE,
)
_RESTATED: Final = re.compile(
    r"\b(?:restated|recast|as\s+(?:adjusted|revised)|revised|angepasst|angepa\u00dft)\b", re.IGNORECASE
)
_LONGEST_CHARS: Final = 300
_FOOTNOTE: Final = re.compile(r"\((?:[a-z]|\d{1,2})\)")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_PERIOD_WORDS: Final = re.compile(
    rf"\b(?:{_COUNT}[\s-]*(?:months?|weeks?|monate?n?|wochen)|ended|ending|as|of|at|on|the|for|fiscal|financial|years?|quarters?"
    r"|first|second|third|fourth|half|un?audited|audited|period|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|januar|februar|m\u00e4rz|mai|juni|juli"
    r"|oktober|dezember|okt|dez|gesch\u00e4ftsjahr|jahr|quartal|zum|bis|vom|am|per|stand|halbjahr|ungepr\u00fcft|fy\d*|q[1-4]|[1-4]q\d*"
    r"|h[12]|12m|9m|6m|3m|gj|and|und|restated|recast|adjusted|revised|angepasst|in|usd|eur|mio|mrd|teur|millions?|thousands?"
    r"|billions?|tsd|dollars?|euros?|except|per|share|data|amounts?|\d+)\b",
    re.IGNORECASE,
)


def kind_of(heading: str) -> ColumnKind:
    """Say what the cells under a heading are."""
    if len(heading) > _LONGEST_CHARS:
        return ColumnKind.FIGURES
    if _NOTE.search(heading.strip()):
        return ColumnKind.NOTE
    if _FORECAST.search(heading):
        return ColumnKind.FORECAST
    if len(set(_YEAR.findall(name_split_years_by_their_end(heading)))) > 1:
        # Two years over one column: it compares them, or two headings ran together.
        return ColumnKind.CHANGE
    if _SHARE_OF.search(heading):
        return ColumnKind.SHARE_OF
    return ColumnKind.CHANGE if _CHANGE.search(heading) else ColumnKind.FIGURES


def is_restated(text: str) -> bool:
    """Return whether a heading or title says that the figures were restated."""
    return _RESTATED.search(text) is not None


def read_period(heading: str) -> ColumnPeriod:
    """Read what a heading says of its period."""
    text = name_split_years_by_their_end(heading[:_LONGEST_CHARS])
    year, month, day = _date_in(text)
    months, weeks, quarter = _length_in(text)
    if year is None and (short := _SHORT_YEAR.search(text)):
        year = 2000 + int(short["year"])
    return ColumnPeriod(
        year=year,
        month=month,
        day=day,
        months=months,
        weeks=weeks,
        quarter=quarter,
        named_fiscal=_FISCAL.search(text) is not None or quarter > 0,
    )


def complete_period(own: ColumnPeriod, above: ColumnPeriod) -> ColumnPeriod:
    """Return a column's period with what the heading above all columns, or a title, adds to it."""
    dated = own.month > 0
    return replace(
        own,
        year=own.year if own.year is not None else above.year,
        month=own.month if dated or own.quarter else above.month,
        day=own.day if dated or own.quarter else above.day,
        months=own.months or above.months,
        weeks=own.weeks or (above.weeks if not own.months else 0),
        quarter=own.quarter or above.quarter,
        named_fiscal=own.named_fiscal or above.named_fiscal,
    )


def words_beside_period(heading: str) -> str:
    """Return the words of a heading that name no period and no unit: what the column is of, such as a segment."""
    plain = _FOOTNOTE.sub(" ", heading[:_LONGEST_CHARS])
    rest = " ".join(_PERIOD_WORDS.sub(" ", plain).split())
    return rest.strip(" ,.;:()-\u2013\u2014*$\u20ac\u00a3") if _WORD.search(rest) else ""


def _date_in(text: str) -> tuple[int | None, int, int]:
    dates = read_dates(text)
    with_year = [each for each in dates if each.year is not None]
    if with_year:
        last = with_year[-1]
        return last.year, last.month, last.day
    if slashed := _SLASHED.search(text):
        year = int(slashed["year"])
        return year if year >= 100 else 2000 + year, int(slashed["month"]), int(slashed["day"])
    years = _YEAR.findall(text)
    year_said = int(years[-1]) if years else None
    if dates:
        return year_said, dates[-1].month, dates[-1].day
    if of_month := _OF_MONTH.search(text):
        month = month_number(of_month["month"])
        return int(of_month["year"]), month, _MONTH_ENDS[month - 1]
    return year_said, 0, 0


def _length_in(text: str) -> tuple[int, int, int]:
    """Return the months, weeks and the number of the quarter that a text names."""
    if _FOUR_QUARTERS.search(text):
        return 12, 0, 0
    if match := _MONTHS.search(text):
        count = _counted(match["count"] or match["short"])
        return (count if count in (1, 3, 6, 9, 12) else 0), 0, 0
    if match := _WEEKS.search(text):
        weeks = _counted(match["count"])
        return _WEEKS_A_QUARTER.get(weeks, 0), weeks, 0
    if match := _QUARTER.search(text):
        word = match["word"]
        return 3, 0, _ORDINALS[word.lower()] if word else int(match["q"] or match["bq"] or match["german"])
    if match := _HALF.search(text):
        return 6, 0, 2 * int(match["h"] or match["bh"] or match["german"])
    if _A_QUARTER.search(text):
        return 3, 0, 0
    if _A_HALF.search(text):
        return 6, 0, 0
    return (12, 0, 0) if _A_YEAR.search(text) else (0, 0, 0)


def _counted(word: str) -> int:
    return int(word) if word.isdigit() else _COUNTS[word.lower()]
