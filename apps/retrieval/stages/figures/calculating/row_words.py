"""Tell by the words of a label or heading what a row is: a total, a result, a plan."""

from __future__ import annotations

import calendar
import re
from typing import Final

from apps.corpus.terms import terms

_TOTAL: Final = re.compile(
    r"\b(?:total|sub-?total|group|consolidated|eliminations?|reconciliation|summe|gesamt|konzern|konsolidierung|\u00fcberleitung)\b",
    re.IGNORECASE,
)
_EXPECTED: Final = re.compile(
    r"\b(?:forecast\w*|budget\w*|planned|guidance|outlook|expected|estimate[sd]?|projected|target\w*|prognose\w*|geplant\w*"
    r"|erwartet\w*|ausblick|plan(?:wert|zahl)\w*)\b|(?:19|20)\d\d(?:\s?[EFBP]|\s+plan)\b|\bplan\s+(?:19|20)\d\d",
    re.IGNORECASE,
)
_RESULT: Final = re.compile(
    r"\b(?:profits?|income|results?|earnings|ebit\w*|surplus)\b|\bcash\s+flows?\b|\b(?:free\s+)?cashflow\b|ergebnis|\u00fcberschuss|gewinn",
    re.IGNORECASE,
)
_COST: Final = re.compile(
    r"\b(?:tax\w*(?!\s*\))|expenses?|costs?|charges?|paid|payments?|purchases?|used)\b|steuer|aufwand|aufwendung|kosten",
    re.IGNORECASE,
)
# The titles of statements name results, whatever their rows are.
_OF_A_STATEMENT: Final = re.compile(
    r"\b(?:statements?|income|operations|cash\s+flows?|gewinn-?\s+und\s+verlust\w*|kapitalfluss\w*|ergebnisrechnung)\b",
    re.IGNORECASE,
)
_ACTIVITIES: Final = re.compile(
    r"\b(?:operating|investing|financing)\s+activities\b|\b(?:laufende\w*\s+gesch\u00e4fts|investitions|finanzierungs)t\u00e4tigkeit",
    re.IGNORECASE,
)

_MONTHS: Final = frozenset(
    terms(" ".join(calendar.month_name), "en")
    + terms("Januar Februar M\u00e4rz April Mai Juni Juli August September Oktober November Dezember", "de")
)
_PERIOD: Final = re.compile(r"(?:fy|q[1-4]|h[12])[a-z]*\d*|[a-z]+(?:19|20)\d\d")


def is_total(label: str) -> bool:
    """Return whether a row is called a total of others."""
    return _TOTAL.search(label) is not None


def names_a_result(text: str) -> bool:
    """Return whether a label or heading names what may be a profit or a loss."""
    return _RESULT.search(text) is not None and _COST.search(text) is None


def is_title_of_a_statement(title: str) -> bool:
    """Return whether a table's title is that of a financial statement, whatever its rows are."""
    return _OF_A_STATEMENT.search(title) is not None


def is_part_of_cash_flows(heading: str) -> bool:
    """Return whether a heading is that of a part of the cash flow statement: what is paid stands in brackets there."""
    return _ACTIVITIES.search(heading) is not None


def is_expected(column: str) -> bool:
    """Return whether the figures of a column are expected or planned, and not actual."""
    return _EXPECTED.search(column) is not None


def is_period(term: str) -> bool:
    """Return whether a term is a number or a period, and so no part of a name."""
    return term[0].isdigit() or _PERIOD.fullmatch(term) is not None or term in _MONTHS
