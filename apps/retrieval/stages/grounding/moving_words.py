"""Words that compare: up and down, by how often, and the largest of several."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.filings.text.mentions import word_set

_UP_VERBS: Final = (
    r"rose|rise[ns]?|rising|increas\w*|gr[eo]w(?:s|n|ing|th)?|climb\w*|surg\w+|jump\w*|expand\w*|widen\w*|improv\w*"
    r"|advanced|gained|raised|accelerat\w*|higher|strengthen\w*|stieg\w*|stiegen|gestiegen|zugenommen|wuchs"
    r"|gewachsen|zunahme|h\u00f6her|erh\u00f6h\w*|anstieg|zuwachs|(?<=ein\s)plus|plus(?=\s+von)|(?<!%\s)plus(?=\s+[\d.,]+\s*(?:%|prozent))|(?:went|go(?:es)?|gone|going)\s+up"
)
_DOWN_VERBS: Final = (
    r"fell|fall(?:s|en|ing)?|decreas\w*|declin\w*|drop\w*|shr[aiu]nk\w*|slip\w*|reduc(?:ed?|ing|tion)|contract(?:ed|ing)|cut(?:s|ting)?"
    r"|narrow\w*|slid(?:es?|ing)|worsen\w*|weaken\w*|lower(?:ed)?|slid|sank|sunk|gesunken|fiel(?:en)?|gefallen|abgenommen|r\u00fcckgang"
    r"|zur\u00fcckgegangen|verringert\w*|niedriger|gesenkt|(?<=ein\s)minus|minus(?=\s+von)|(?<!%\s)minus(?=\s+[\d.,]+\s*(?:%|prozent))|(?:went|go(?:es)?|gone|going)\s+down"
)
_BESIDE: Final = (
    r"(?=\s+(?:from|by|to|on|about|roughly|slightly|sharply|some|approximately|nearly|year"
    r"|\(?[$\u20ac\u00a3\d]|[A-Z]{3}\s?\d))"
)
UP: Final = re.compile(
    rf"\b(?:{_UP_VERBS})\b|(?<!made\s)(?<!make\s)(?<!makes\s)(?<!add\s)(?<!adds\s)(?<!adding\s)\bup\b(?!\s+to\b){_BESIDE}",
    re.IGNORECASE,
)
DOWN: Final = re.compile(rf"\b(?:{_DOWN_VERBS})\b|\bdown\b{_BESIDE}", re.IGNORECASE)
FLAT: Final = re.compile(
    r"\b(?:unchanged|flat|stable|constant|the\s+same(?!\s+(?:time|period|year|quarter))|unver\u00e4ndert|stabil|gleich\s+geblieben)\b",
    re.IGNORECASE,
)
FACTOR: Final = re.compile(
    r"\b(?:(?P<hedge>more\s+than|over|nearly|almost|about|roughly|mehr\s+als|fast)\s+)?"
    r"(?P<word>doubl(?:ed|ing|es)|tripl(?:ed|ing|es)|trebled|quadrupl(?:ed|ing|es)|halv(?:ed|ing|es)"
    r"|verdoppelt\w*|verdreifacht\w*|halbiert\w*)\b",
    re.IGNORECASE,
)
CHANGES: Final = re.compile(
    r"\b(?:change[ds]?|differ\w*|gain|plus|minus|more|less|fewer|above|below|swing|swung|loss|ver\u00e4nder\w*|zuwachs"
    r"|mehr|weniger|differenz|unterschied)\b|\byear[\s-](?:over|on)[\s-]year\b|\byoy\b|\b(?:up|down)\b",
    re.IGNORECASE,
)
LARGEST: Final = re.compile(
    r"\b(?:largest|highest|biggest|greatest|peak(?:ed)?|(?<!at\s)most(?!\s+recent|\s+of)|gr\u00f6\u00dfte[rnsm]?|h\u00f6chste[rnsm]?)\b",
    re.IGNORECASE,
)
SMALLEST: Final = re.compile(
    r"\b(?:smallest|lowest|(?<!at\s)least|kleinste[rnsm]?|niedrigste[rnsm]?|geringste[rnsm]?)\b", re.IGNORECASE
)
_FACTORS: Final = {
    "doubl": Decimal(2),
    "verdop": Decimal(2),
    "tripl": Decimal(3),
    "treble": Decimal(3),
    "verdrei": Decimal(3),
    "quadr": Decimal(4),
    "halv": Decimal("0.5"),
    "halbi": Decimal("0.5"),
}
# Of a change, how strong it was, and that it is one.
_MANNERS: Final = word_set(
    """
    up down rise risen rising increase increased increasing increases grow grew grown growing growth climb climbed
    surge surged jump jumped expand expanded widen widened improve improved advanced gained accelerated higher
    exceeded exceeding exceeds strengthened fell fall falling fallen decrease decreased decreasing decreases decline
    declined declining declines drop dropped shrank shrunk slip slipped reduce reduced reduction contracted narrowed
    worsened weakened lower lowered slid beat beats lagged lags lag trailed behind ahead above below stayed returned
    outperformed underperformed exceed cut cuts raised gain loss sank rose slide slides short swing swung unchanged
    flat stable constant double doubled doubling triple tripled quadrupled halved halving largest highest biggest
    greatest smallest lowest least peak peaked more less than fewer sharply slightly significantly strongly modestly
    marginally substantially considerably notably steadily markedly rate compound compounded cagr yoy basis growth
    average mean ratio share proportion margin times multiple fold half fifth tenth quarter third twice stieg stiegen
    gestiegen zugenommen wuchs gewachsen zunahme höher anstieg sank gesunken fiel fielen gefallen abgenommen rückgang
    zurückgegangen verringert niedriger gesenkt erhöhte erhöhten erhöht zuwachs verdoppelt halbiert hälfte drittel
    viertel fünftel zehntel größte höchste kleinste niedrigste mehr weniger deutlich leicht stark unverändert
    """
)
_OF_A_CALCULATION: Final = word_set(
    "difference change veränderung differenz average mean ratio share gearing leverage quote marge "
    "rendite anteil durchschnitt proportion margin rate compound compounded cagr multiple cover covered "
    "covers"
)


_PAYING: Final = word_set(
    "pay pays paid paying payment payments spend spent outlay outflow use used ausgegeben gezahlt"
)


def factor_of(word: str) -> Decimal:
    return next(value for stem, value in _FACTORS.items() if word.lower().startswith(stem))


@lru_cache(maxsize=4)
def moving_terms(language: str) -> frozenset[str]:
    """Return the terms of words that compare figures; directions.py checks what they say."""
    return frozenset(term for word in _MANNERS - _OF_A_CALCULATION for term in terms(word, language))


@lru_cache(maxsize=4)
def calculated_terms(language: str) -> frozenset[str]:
    """Return the terms of words for what is calculated from figures, whichever they are."""
    return frozenset(term for word in _OF_A_CALCULATION for term in terms(word, language))


@lru_cache(maxsize=4)
def paying_terms(language: str) -> frozenset[str]:
    """Return the terms of words for what goes out. They may stand beside an outflow, whatever its row calls it."""
    return frozenset(term for word in _PAYING for term in terms(word, language))


@lru_cache(maxsize=4)
def cost_terms(language: str) -> frozenset[str]:
    """Return the terms of words that call what a row names a cost."""
    words = (
        "cost",
        "costs",
        "expense",
        "expenses",
        "spending",
        "expenditure",
        "charge",
        "charges",
        "kosten",
        "aufwand",
    )
    return frozenset(term for word in words for term in terms(word, language))


def direction_of(text: str) -> int:
    """Return 1 for up, -1 for down, 0 if a text says neither or both."""
    up, down = UP.search(text) is not None, DOWN.search(text) is not None
    return up - down
