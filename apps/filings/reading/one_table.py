"""Read the facts of one table.

How sure a fact is (confidence):

    1     a statement's row with a concept, whose column and table say the year and the scale themselves
    0.9   the same without a concept, or a figure of another table that agrees with the statement's (agreement.py)
    0.7   a known row of another table; 0.6 for a segment's; 0.5 for a row without a label, or one that is known by its
          label alone
    less  0.1 for a year, and 0.1 for a scale, that was said elsewhere than in the table
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import FactUnit, HowRead, ReadFact, TextSpan
from apps.filings.reading.agreement import DOUBTFUL
from apps.filings.reading.amounts import Amount
from apps.filings.reading.calendar import FactPeriod, FiscalCalendar, at_beginning, place_period
from apps.filings.reading.columns import Column, ColumnReader
from apps.filings.reading.headings import ColumnKind, ColumnPeriod
from apps.filings.reading.layout import Table, TableLine
from apps.filings.reading.naming import AT_BEGINNING, find_concept
from apps.filings.reading.rows import RowCell, TableRow, read_row
from apps.filings.reading.segments import Naming, TableParts, is_total
from apps.filings.reading.units import Scale, TableUnits, Unit, is_counted, is_rate
from apps.filings.vocabulary.concepts import Concept, Period

_AT_END: Final = "cash at end of period"
_LONGEST_LABEL: Final = 400
_OF_BALANCES: Final = re.compile(
    r"\bbalance|\bperiod[\s-]end|\b(?:at|end\s+of)\s+(?:the\s+)?(?:year|period|quarter)\b|\bfinancial\s+position|\bbilanz"
    r"|\bper\s+share|\b(?:at|as\s+of)\s+\w+\s+\d|\bdata\b|\bmetrics\b|\bstichtag",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AboutDocument:
    """What counts for all tables of a document. fiscal_quarter: 0 for an annual report."""

    fiscal_quarter: int
    how_read: HowRead
    calendar: FiscalCalendar
    scale: Scale
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A table as it is read. statement: a Statement's value, empty if it is none."""

    table: Table
    statement: str
    columns: ColumnReader
    decimal_comma: bool

    def rows(self, most: int | None = None) -> Iterator[tuple[TableLine, TableRow, tuple[Column, ...]]]:
        """Yield the rows, or the first of them, with the column of each of their cells."""
        for line in self.table.lines[:most]:
            row = read_row(line.block, decimal_comma=self.decimal_comma)
            yield line, row, self.columns.read(row, line.period_line)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """A cell with its row, its column and its unit."""

    line: TableLine
    row: TableRow
    cell: RowCell
    amount: Amount
    column: Column
    unit: Unit


class OneTable:
    """Reads the facts of one table."""

    def __init__(self, source: Source, about: AboutDocument) -> None:
        self._source, self._about = source, about
        self._parts = TableParts(source.table)
        self._units = TableUnits(source.table, statement=source.statement, default=about.scale, currency=about.currency)

    def facts(self) -> Iterator[ReadFact]:
        """Yield the facts, row by row."""
        in_statement = bool(self._source.statement)
        if not in_statement and not self._parts.is_readable:
            return
        for line, row, columns in self._source.rows():
            if in_statement or self._parts.is_readable_under(line.group):
                yield from self._facts_of_row(line, row, columns)

    def _facts_of_row(self, line: TableLine, row: TableRow, columns: Sequence[Column]) -> Iterator[ReadFact]:
        in_statement = bool(self._source.statement)
        label = row.label[:_LONGEST_LABEL]
        dimensions = _dimensions(columns) if in_statement else {}
        # The cells of a row mostly differ in the year alone.
        named: dict[tuple[FactUnit, str], Naming | None] = {}
        for cell, column in zip(row.cells, columns, strict=True):
            amount = cell.amount
            if amount is None or column.kind is not ColumnKind.FIGURES or column.period.year is None:
                continue
            if amount.is_dash and not in_statement:
                continue
            unit = self._units.read(label, line.group, column.heading, amount)
            if in_statement and unit.unit is FactUnit.PERCENT and not is_rate(label):
                # A column of percentages of the revenue beside that of the amounts, under one heading.
                continue
            key = (unit.unit, column.words)
            if key not in named:
                named[key] = self._name(label, line.group, column.words, unit.unit, dimensions)
            naming = named[key]
            if naming is None:
                continue
            if not in_statement:
                own = self._own_unit(unit, label, naming.concept, amount)
                is_unclear = naming.concept is None and (line.period_line or column.words or not column.said_own)
                if own is None or is_unclear:
                    continue
                unit = own
            if (period := self._period(column.period, naming)) is not None:
                figure = _Figure(line=line, row=row, cell=cell, amount=amount, column=column, unit=unit)
                yield self._fact(figure, naming, period)

    def _name(self, label: str, group: str, words: str, unit: FactUnit, dimensions: Mapping[str, str]) -> Naming | None:
        if not self._source.statement:
            return self._parts.name(label, group, words, unit) or self._parts.name_unknown(label)
        concept = find_concept(label, group, statement=self._source.statement, unit=unit)
        return Naming(concept=concept, dimension=dimensions.get(words, ""))

    def _own_unit(self, unit: Unit, label: str, concept: Concept | None, amount: Amount) -> Unit | None:
        """Return the unit of a row of another table; None if its cell is no figure of the concept.

        A row that the vocabulary does not know is of money only where its table says so.
        """
        if concept is not None and is_counted(concept.name):
            return None if amount.currency else self._units.count(label)
        if concept is not None or unit.unit is not FactUnit.MONEY:
            return unit
        says_money = amount.currency or unit.says_scale or self._units.scale.is_near
        return unit if says_money else Unit(unit=FactUnit.NUMBER, exponent=None, currency="")

    def _period(self, said: ColumnPeriod, naming: Naming) -> FactPeriod | None:
        statement, concept, calendar = self._source.statement, naming.concept, self._about.calendar
        name = concept.name if concept is not None else ""
        months = _usual_months(statement, self._about.fiscal_quarter)
        is_instant = statement == Statement.BALANCE_SHEET or name == _AT_END
        if not statement and concept is not None:
            is_instant = concept.period is Period.INSTANT
        placed = place_period(said, calendar, is_instant=is_instant, default_months=months)
        if placed is None or (not statement and not _is_actual(placed, calendar)):
            return None
        return at_beginning(placed, said.months or months) if name == AT_BEGINNING else placed

    def _fact(self, figure: _Figure, naming: Naming, period: FactPeriod) -> ReadFact:
        row, cell, amount, column, unit = figure.row, figure.cell, figure.amount, figure.column, figure.unit
        return ReadFact(
            concept=naming.concept.name if naming.concept is not None else "",
            label=row.label[:_LONGEST_LABEL],
            column=column.heading,
            group=figure.line.group,
            value=amount.value * 10 ** (unit.exponent or 0),
            printed=cell.printed,
            exponent=unit.exponent,
            decimals=amount.decimals,
            unit=unit.unit,
            currency=unit.currency,
            starts_on=period.starts_on,
            ends_on=period.ends_on,
            fiscal_year=period.fiscal_year,
            fiscal_quarter=period.fiscal_quarter,
            months=period.months,
            statement=self._source.statement,
            dimension=naming.dimension,
            consolidated=bool(self._source.statement) or not self._parts.is_parent,
            restated=column.restated,
            page=self._source.table.page,
            row=TextSpan(start=row.start, end=row.end),
            cell=TextSpan(start=cell.start, end=cell.end),
            heading=column.span,
            how_read=self._about.how_read,
            confidence=self._confidence(figure, naming),
        )

    def _confidence(self, figure: _Figure, naming: Naming) -> Decimal:
        if not self._source.statement and self._is_doubtful(figure, naming):
            return DOUBTFUL
        if not figure.row.label:
            sure = Decimal("0.5")
        elif self._source.statement:
            sure = Decimal(1) if naming.concept is not None else Decimal("0.9")
        elif naming.concept is None:
            sure = Decimal("0.5")
        else:
            sure = Decimal("0.6") if naming.dimension else Decimal("0.7")
        if not figure.column.said_own and not figure.line.period_line:
            sure -= Decimal("0.1")
        if figure.unit.unit is FactUnit.MONEY and not (self._units.scale.is_near or figure.unit.says_scale):
            sure -= Decimal("0.1")
        return sure

    def _is_doubtful(self, figure: _Figure, naming: Naming) -> bool:
        """Return whether a balance stands in columns of flows, where it may be an average, or a change."""
        if naming.concept is None or naming.concept.period is not Period.INSTANT or not figure.column.period.months:
            return False
        return _OF_BALANCES.search(f"{figure.row.label[:_LONGEST_LABEL]}\n{figure.line.group}") is None


def _usual_months(statement: str, quarter: int) -> int:
    """Return the months of a flow whose length is not said: cash flows are of the year so far."""
    if statement == Statement.CASH_FLOW_STATEMENT:
        return 3 * (quarter or 4)
    return 3 if quarter else 12


def _is_actual(period: FactPeriod, calendar: FiscalCalendar) -> bool:
    """Return whether a period ended within that of the document, and with a quarter: no maturity, no single event."""
    if calendar.year and period.fiscal_year > calendar.year:
        return False
    return period.ends_on is None or calendar.is_near_quarter(period.ends_on)


def _dimensions(columns: Sequence[Column]) -> Mapping[str, str]:
    """Return what the words of a statement's columns name, if they tell its columns apart: parts of the group."""
    words = {each.words for each in columns if each.kind is ColumnKind.FIGURES}
    return {each: "" if is_total(each) else each for each in words} if len(words) > 1 else {}
