"""Tell what the figures of a row count, in which currency, and by which power of ten they are scaled."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import FactUnit
from apps.filings.reading.amounts import Amount
from apps.filings.reading.layout import Table
from apps.filings.text.numbers import currencies_in, find_stated_scale

_PER_SHARE: Final = re.compile(
    r"\bper\s+(?:\w+\s+){0,3}?(?:share|unit|ads|adr)\b|\bEPS\b|\bje\s+(?:\w+-?)?(?:aktie|anteil)|\b(?:earnings|loss)\s?/\s?share",
    re.IGNORECASE,
)
_SHARES: Final = re.compile(
    r"weighted[\s-]+average\b(?!\s*(?:exercise|remaining|discount|interest|grant))|\bshares\s+(?:outstanding|issued|used)"
    r"|\bnumber\s+of\s+(?:\w+\s+){0,3}shares\b|\b(?:basic|diluted)\s+(?:\w+\s+){0,3}shares\b|\bshares\s+.{0,30}(?:basic|diluted|dilution)"
    r"|\bdilutive\s+(?:effect|securities|shares)|anzahl\s+(?:der\s+)?aktien|\baktien\s+im\s+umlauf|\bst\u00fcck\b",
    re.IGNORECASE,
)
_STOCK_AT_VALUE: Final = re.compile(
    r"\bpar\b|\bcommon\s+s(?:tock|hares)\b.{0,200};|\bpreferred\b|treasury|capital\b|stated value", re.IGNORECASE
)
_SHARES_OF_A_DAY: Final = re.compile(
    r"(?:number\s+of\s+|common\s+|ordinary\s+|treasury\s+|total\s+){0,2}shares\s+(?:issued|outstanding|authori[sz]ed)[^;$]*"
    r"|anzahl\s+(?:der\s+)?aktien.*",
    re.IGNORECASE,
)
_NUMBERS: Final = re.compile(
    r"^(?:average\s+|total\s+)?(?:number\s+of|headcount|employees|stores|full-time|ftes?|mitarbeiter\w*|anzahl)\b"
    r"|\bratio\b",
    re.IGNORECASE,
)
_COUNTED: Final = re.compile(
    r"^employees|\bnumber of\b|\b(?:users|members|membership|subscribers|stores|headcount|passengers|rooms|vessels"
    r"|deliveries|units sold|shipments|stores (?:opened|closed)|lease term|remaining term|useful life)$|^customers$"
)
_COSTS: Final = re.compile(r"cost|expense|benefit|compensation|aufwand|receivable|payable|liabilit", re.IGNORECASE)
_PERCENT: Final = re.compile(
    r"%|\bpercent(?:age)?s?\b|\bprozent\b|\b(?:effective|tax)\s+rate\b|steuerquote|\bmarge\b", re.IGNORECASE
)
_MOST_PER_SHARE: Final = 100_000
_SAMPLE_ROWS: Final = 30
_MAY_NAME_CURRENCY: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5]|(?-i:[A-Z]{3})|dollar|euro|pound|pfund|franken|franc|yen|krona", re.IGNORECASE
)
_SIGNS: Final = re.compile(r"[$\u20ac\u00a3\u00a5]|\b(?:EUR|USD|CHF|GBP)\b")
_SHARES_SCALE: Final = re.compile(
    r"\b(?:shares?|aktien)\s+(?:data\s+)?in\s+(?P<scale>thousands|millions|tausend|mio)", re.IGNORECASE
)
_EXCEPT: Final = re.compile(
    r"\b(?:except|excluding|other than|ausgenommen|au\u00dfer)\b(?P<what>[^)\n]{0,200})", re.IGNORECASE
)
_NOT_SHARES: Final = re.compile(r"\bper[\s-]+(?:\w+\s+)?(?:shares?|unit)\b(?:\s+data|\s+amounts)?", re.IGNORECASE)
_MAY_SCALE: Final = re.compile(
    r"thousand|million|billion|tausend|tsd|mio|mrd|t(?:eur|usd|chf|\u20ac)|keur|k\u20ac|\b[mb]n\b|[$\u20ac\u00a3]\s?[mk]\b|\b(?:eur|usd)\s?[mk]\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """A stated scale. exponent: None if none is stated. is_near: whether the table itself states it."""

    exponent: int | None
    is_near: bool
    shares_exponent: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What a figure counts, and how it is scaled. says_scale: whether its row or column states its scale itself."""

    unit: FactUnit
    exponent: int | None
    currency: str
    says_scale: bool = False


class TableUnits:
    """The scale and the currency of one table."""

    def __init__(self, table: Table, *, statement: str, default: Scale, currency: str) -> None:
        self._statement = statement
        self.scale = read_scale(table, default)
        self._currency = _first_currency(table) or currency

    def read(self, label: str, group: str, column: str, amount: Amount) -> Unit:
        """Return the unit of a cell."""
        unit = kind_of_figure(label, group, column, amount, self._statement)
        own = _stated(label) if unit is not FactUnit.PER_SHARE else None
        if own is None and unit in (FactUnit.MONEY, FactUnit.SHARES):
            own = _stated(column)
        if unit is FactUnit.MONEY:
            exponent = own if own is not None else self.scale.exponent
        elif unit is FactUnit.SHARES:
            exponent = own if own is not None else self.scale.shares_exponent
            if exponent is None and amount.decimals:
                # 1,579.7 shares are thousands or millions whatever the caption excepts.
                exponent = self.scale.exponent
        else:
            exponent = None
        says_scale = own is not None
        money = unit in (FactUnit.MONEY, FactUnit.PER_SHARE)
        return Unit(
            unit=unit,
            exponent=exponent,
            says_scale=says_scale,
            currency=(amount.currency or _one_currency(f"{label} {column}") or self._currency) if money else "",
        )

    def count(self, label: str) -> Unit:
        """Return the unit of what is counted, such as employees; a scale of millions is meant for amounts."""
        own = _stated(label)
        in_thousands = self.scale.is_near and self.scale.exponent == 3
        return Unit(unit=FactUnit.NUMBER, exponent=3 if own is None and in_thousands else own, currency="")


def is_counted(concept: str) -> bool:
    """Return whether a concept is a number of things, or of years."""
    return _COUNTED.search(concept) is not None


def is_rate(label: str) -> bool:
    """Return whether a row is called a percentage."""
    return _PERCENT.search(label) is not None


def read_scale(table: Table, default: Scale) -> Scale:
    """Return the scale of a table: that of its headings, else of the lines above it, else the default."""
    for is_near, texts in ((True, (table.above, *table.titles[:2])), (False, (*table.titles[2:], *table.head))):
        for text in texts:
            if (exponent := _stated(_SHARES_SCALE.sub(" ", text))) is not None:
                return Scale(exponent=exponent, is_near=is_near, shares_exponent=_of_shares(text, exponent))
    return default


def currency_of(table: Table) -> str:
    """Return the one currency that a table's headings or titles name, or ""."""
    return _first_currency(table)


def is_per_share(text: str) -> bool:
    """Return whether a label or a group line is of figures per share."""
    return _PER_SHARE.search(text) is not None


def kind_of_figure(label: str, group: str, column: str, amount: Amount, statement: str) -> FactUnit:
    """Return what a figure counts, by what stands around it."""
    if amount.is_percent:
        return FactUnit.PERCENT
    if amount.is_multiple:
        return FactUnit.NUMBER
    if statement == Statement.BALANCE_SHEET:
        # "Common stock, 1,200 shares issued" is an amount of money, and so are the rows under such a line.
        is_count = _SHARES_OF_A_DAY.fullmatch(label) is not None and not amount.currency
        return FactUnit.SHARES if is_count else FactUnit.MONEY
    small = abs(amount.value) < _MOST_PER_SHARE
    if _PER_SHARE.search(label) and small:
        return FactUnit.PER_SHARE
    of_shares = _SHARES.search(label) or (_SHARES.search(group) and not _COSTS.search(label))
    if of_shares and not _STOCK_AT_VALUE.search(label) and not amount.currency:
        return FactUnit.SHARES
    if _PER_SHARE.search(group) and small and (amount.decimals or amount.currency or amount.is_dash):
        return FactUnit.PER_SHARE
    if amount.currency:
        return FactUnit.MONEY
    if _PERCENT.search(label) or _PERCENT.search(column) or (_PERCENT.search(group) and amount.decimals):
        return FactUnit.PERCENT
    return FactUnit.NUMBER if _NUMBERS.search(label) and not _stated(label) else FactUnit.MONEY


def _stated(text: str) -> int | None:
    return find_stated_scale(text) if text and _MAY_SCALE.search(text) else None


def _of_shares(text: str, exponent: int) -> int | None:
    """Return the scale of share counts, which a caption may except, or state apart."""
    if apart := _SHARES_SCALE.search(text):
        return 3 if apart["scale"].lower().startswith("t") else 6
    excepted = _EXCEPT.search(text)
    if excepted and re.search(r"\bshares?\b|aktien", _NOT_SHARES.sub(" ", excepted["what"]), re.IGNORECASE):
        return None
    return exponent


def _first_currency(table: Table) -> str:
    cells = " ".join(each.block.text.partition(" | ")[2] for each in table.lines[:_SAMPLE_ROWS])
    for text in (table.above, cells if _SIGNS.search(cells) else "", *table.titles, *table.head):
        if found := _one_currency(text):
            return found
    return ""


def _one_currency(text: str) -> str:
    named = currencies_in(text) if text and _MAY_NAME_CURRENCY.search(text) else frozenset()
    return next(iter(named)) if len(named) == 1 else ""
