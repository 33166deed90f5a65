"""A company's series as a table: a row for each series, a column for each period, each cell with its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from django.urls import reverse
from django.utils.http import urlencode

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import CheckResult, FactUnit
from apps.filings.models import Fact
from apps.filings.numbers import SCALES, scale_of, scaled_number
from apps.filings.selectors import Point, Series
from apps.tenants.admin.charts import BarLine, draw_bar

_NO_DATA: Final = "\u2014"
_OTHERS: Final = "Notes and other tables"
_MOST_DECIMALS: Final = 2
_ORDER: Final = (
    Statement.INCOME_STATEMENT.value,
    Statement.BALANCE_SHEET.value,
    Statement.CASH_FLOW_STATEMENT.value,
    "",
)

PeriodKey = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value as it is shown. url: its page, with the figure marked. doubt: which sum does not hold, if one does not.

    restatements: other values of later documents.
    """

    text: str
    url: str = ""
    says: str = ""
    doubt: str = ""
    restatements: tuple[Cell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One series. unit: what its cells count; chart: its values as bars."""

    name: str
    dimension: str
    unit: str
    cells: tuple[Cell, ...]
    chart: BarLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """The rows of one statement."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyTable:
    """periods: the columns, earliest first. amounts: the scale of all amounts of money, in words."""

    periods: tuple[str, ...]
    amounts: str
    sections: tuple[Section, ...]


def lay_out(series: Sequence[Series]) -> CompanyTable:
    """Lay out the series of a company in the order in which they are given."""
    periods = sorted({_period(point) for each in series for point in each.points})
    exponent = scale_of(point.value for each in series if each.key.unit == FactUnit.MONEY for point in each.points)
    sections: dict[str, list[Row]] = {}
    for each in series:
        sections.setdefault(each.points[-1].fact.statement, []).append(_row(each, periods, exponent))
    return CompanyTable(
        periods=tuple(_period_name(period) for period in periods),
        amounts=dict(SCALES).get(exponent, ""),
        sections=tuple(
            Section(title=_title(name), rows=tuple(sections[name])) for name in sorted(sections, key=_ORDER.index)
        ),
    )


def page_url(fact: Fact) -> str:
    """Return the address of the page on which a fact stands, with the fact marked."""
    place = urlencode({"page": fact.page, "start": fact.cell_start, "end": fact.cell_end})
    return f"{reverse('admin:corpus_document_page', args=[fact.document_id])}?{place}"


def _row(series: Series, periods: Sequence[PeriodKey], exponent: int) -> Row:
    points = {_period(point): point for point in series.points}
    scale = exponent if series.key.unit == FactUnit.MONEY else _own_scale(series)
    cells = tuple(_cell(points[period], scale) if period in points else Cell(text=_NO_DATA) for period in periods)
    name = series.key.concept or series.key.label
    return Row(
        name=name[:1].upper() + name[1:],
        dimension=series.key.dimension,
        unit=_unit(series, scale),
        cells=cells,
        chart=_chart(name, periods, points, scale),
    )


def _cell(point: Point, exponent: int) -> Cell:
    further = len(point.facts) - 1
    also = f"; {further} further {'document gives' if further == 1 else 'documents give'} it" if further else ""
    return replace(
        _cell_of(point.fact, exponent, also),
        restatements=tuple(_cell_of(other.facts[-1], exponent) for other in point.restatements),
    )


def _cell_of(fact: Fact, exponent: int, also: str = "") -> Cell:
    failed = fact.check_result == CheckResult.FAILED
    return Cell(
        text=_text(fact.value, fact, exponent),
        url=page_url(fact),
        says=f"{fact.label}: {fact.printed}, {fact.document.title}, page {fact.page}{also}",
        doubt=(fact.check_detail or "A sum that it belongs to does not hold.") if failed else "",
    )


def _text(value: Decimal, fact: Fact, exponent: int) -> str:
    if fact.unit == FactUnit.PERCENT:
        return f"{scaled_number(value, 0, decimals=fact.decimals)} %"
    digits = exponent - (fact.exponent or 0) + fact.decimals
    return scaled_number(value, exponent, decimals=min(max(digits, 0), _MOST_DECIMALS))


def _own_scale(series: Series) -> int:
    if series.key.unit not in (FactUnit.SHARES, FactUnit.NUMBER):
        return 0
    return scale_of(point.value for point in series.points)


def _unit(series: Series, exponent: int) -> str:
    key, scale = series.key, dict(SCALES).get(exponent, "")
    if key.unit == FactUnit.MONEY:
        return " ".join(filter(None, (key.currency or "currency not stated", scale)))
    if key.unit == FactUnit.PER_SHARE:
        return f"{key.currency or 'currency not stated'} per share"
    if key.unit == FactUnit.PERCENT:
        return "per cent"
    return " ".join(filter(None, (scale, "shares" if key.unit == FactUnit.SHARES else ""))) or "number"


def _chart(name: str, periods: Sequence[PeriodKey], points: dict[PeriodKey, Point], scale: int) -> BarLine:
    largest = max(abs(point.value) for point in points.values()) or Decimal(1)
    bars = tuple(
        draw_bar(
            place,
            float(abs(points[period].value) / largest),
            says=f"{_period_name(period)}: {_text(points[period].value, points[period].fact, scale)}",
        )
        for place, period in enumerate(periods)
        if period in points
    )
    return BarLine(name=name, summary="", bars=bars)


def _period(point: Point) -> PeriodKey:
    return point.fiscal_year, point.fiscal_quarter


def _period_name(period: PeriodKey) -> str:
    year, quarter = period
    return f"Q{quarter} {year}" if quarter else str(year)


def _title(statement: str) -> str:
    return Statement(statement).label("en") if statement else _OTHERS
