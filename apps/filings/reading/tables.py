"""Read the facts that the tables of a document print.

In a primary statement every figure whose column has a period is a fact, whether the vocabulary knows its row or not. In
other tables those of known rows are, and those of segments.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import chain, islice
from typing import Final

from apps.corpus.extraction import ExtractedDocument, MediaType, Page
from apps.corpus.extraction.contracts import Recognition
from apps.corpus.extraction.statements import Statement, recognise_statements
from apps.filings.contracts import HowRead, ReadFact
from apps.filings.reading.agreement import keep_agreeing
from apps.filings.reading.amounts import uses_decimal_comma
from apps.filings.reading.calendar import read_calendar
from apps.filings.reading.columns import ColumnReader
from apps.filings.reading.duplicates import name_one_row_each
from apps.filings.reading.headings import ColumnKind, ColumnPeriod
from apps.filings.reading.layout import Table, find_tables
from apps.filings.reading.one_table import AboutDocument, OneTable, Source
from apps.filings.reading.rows import printed_amounts
from apps.filings.reading.statement_tables import statement_of
from apps.filings.reading.units import Scale, currency_of, read_scale

MOST_FACTS: Final = 20_000
_HOW_READ: Final = {MediaType.PDF: HowRead.PDF_TABLE, MediaType.HTML: HowRead.HTML_TABLE}
_NO_SCALE: Final = Scale(exponent=None, is_near=False, shares_exponent=None)
_SAMPLE_ROWS: Final = 30


def read_table_facts(
    document: ExtractedDocument, *, fiscal_year: int | None, fiscal_quarter: int | None, language: str
) -> tuple[ReadFact, ...]:
    """Return the facts of a document's tables, in the order of the pages.

    Args:    fiscal_year, fiscal_quarter: of the document, where they are known. Quarter None or 0 is an annual report.
             language: "de" for decimals with a comma, where the table does not show which it uses.
    Returns: at most MOST_FACTS, those of the statements before others.
    """
    printed = recognise_statements(document.pages)
    sources = list(_sources(document.pages, printed, language))
    of_statements = [each for each in sources if each.statement]
    others = [each for each in sources if not each.statement]
    about = AboutDocument(
        fiscal_quarter=fiscal_quarter or 0,
        how_read=_HOW_READ.get(document.media_type, HowRead.OTHER_TABLE),
        calendar=read_calendar(
            _periods(of_statements or others), fiscal_year=fiscal_year, fiscal_quarter=fiscal_quarter
        ),
        scale=_usual_scale(of_statements),
        currency=_usual_currency(of_statements),
    )
    every = chain.from_iterable(OneTable(source, about).facts() for source in (*of_statements, *others))
    recognised = {page.number: page.recognition for page in document.pages if page.recognition is not None}
    read = (_as_recognised(fact, recognised.get(fact.page)) for fact in every)
    facts = name_one_row_each(list(islice(read, MOST_FACTS)))
    return tuple(sorted(keep_agreeing(facts), key=lambda fact: (fact.page, fact.cell.start)))


def _as_recognised(fact: ReadFact, recognition: Recognition | None) -> ReadFact:
    """Say of a fact that its page was recognised in a picture: it is no surer than the page."""
    if recognition is None:
        return fact
    sure = round(fact.confidence * Decimal(str(recognition.confidence)), 3)
    return replace(fact, how_read=HowRead.OCR, confidence=sure)


def _sources(pages: Sequence[Page], printed: Mapping[int, tuple[Statement, ...]], language: str) -> Iterator[Source]:
    for page in pages:
        before = ""
        for table in find_tables(page):
            before = statement_of(table, printed.get(page.number, ()), before)
            yield Source(
                table=table,
                statement=before,
                columns=ColumnReader(table),
                decimal_comma=_decimal_comma(table, language),
            )


def _decimal_comma(table: Table, language: str) -> bool:
    cells = [text for line in table.lines[:_SAMPLE_ROWS] for text in printed_amounts(line.block)]
    shown = uses_decimal_comma(cells)
    return language == "de" if shown is None else shown


def _periods(sources: Sequence[Source]) -> Iterator[ColumnPeriod]:
    for source in sources:
        for _, row, columns in source.rows(_SAMPLE_ROWS):
            for cell, column in zip(row.cells, columns, strict=True):
                if column.kind is ColumnKind.FIGURES and cell.amount is not None and column.said_own:
                    yield column.period


def _usual_scale(statements: Sequence[Source]) -> Scale:
    for source in statements:
        scale = read_scale(source.table, _NO_SCALE)
        if scale.exponent is not None:
            return replace(scale, is_near=False)
    return _NO_SCALE


def _usual_currency(statements: Sequence[Source]) -> str:
    named = [code for source in statements if (code := currency_of(source.table))]
    return max(named, key=named.count) if named else ""
