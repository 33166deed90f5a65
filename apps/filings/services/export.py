"""Download a company's figures as CSV or XLSX, each with its source."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from decimal import Decimal
from enum import StrEnum
from typing import Final

import xlsxwriter

from apps.audit.reporting.contracts import Cell
from apps.audit.reporting.delimited import csv_bytes
from apps.audit.services import record
from apps.filings.events import EXPORTED
from apps.filings.models import Fact
from apps.filings.numbers import plain_number
from apps.filings.selectors import Series
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

_COLUMNS: Final = (
    *("company", "concept", "dimension", "fiscal_year", "fiscal_quarter", "months", "ends_on", "value", "unit"),
    *("currency", "printed", "row", "column", "document", "document_id", "page", "restated", "check", "how_read"),
)
_VALUE: Final = _COLUMNS.index("value")


class FactsFormat(StrEnum):
    CSV = "csv"
    XLSX = "xlsx"


def facts_export(series: Sequence[Series], *, format: FactsFormat) -> bytes:
    """Return all facts of the series, a row for each, and record who downloaded them.

    Raises: PermissionDeniedError.
    """
    current_scope().principal.require(Permission.DOCUMENT_VIEW)
    rows = [row for each in series for row in _rows(each)]
    documents = {row[_COLUMNS.index("document_id")] for row in rows}
    record(action=EXPORTED, core={"format": format.value, "rows": len(rows), "documents": len(documents)})
    return csv_bytes([_COLUMNS, *rows]) if format is FactsFormat.CSV else _workbook(rows)


def _rows(series: Series) -> Iterator[tuple[Cell, ...]]:
    for point in series.points:
        yield from (_row(series, fact, is_restatement=False) for fact in point.facts)
        for other in point.restatements:
            yield from (_row(series, fact, is_restatement=True) for fact in other.facts)


def _row(series: Series, fact: Fact, *, is_restatement: bool) -> tuple[Cell, ...]:
    return (
        series.company,
        fact.concept,
        fact.dimension,
        fact.fiscal_year,
        fact.fiscal_quarter,
        fact.months,
        fact.ends_on.isoformat() if fact.ends_on else "",
        plain_number(fact.value),
        fact.unit,
        fact.currency,
        fact.printed,
        fact.label,
        fact.column,
        fact.document.title,
        str(fact.document_id),
        fact.page,
        "yes" if is_restatement or fact.restated else "no",
        fact.check_result,
        fact.how_read,
    )


def _workbook(rows: Sequence[Sequence[Cell]]) -> bytes:
    """Return a workbook of one sheet. Texts are written as texts: a spreadsheet takes none for a formula."""
    made = io.BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False}) as book:
        sheet = book.add_worksheet("Figures")
        heading = book.add_format({"bold": True})
        sheet.freeze_panes(1, 0)
        for column, name in enumerate(_COLUMNS):
            sheet.write_string(0, column, name, heading)
        for place, row in enumerate(rows, start=1):
            for column, value in enumerate(row):
                if column == _VALUE:
                    sheet.write_number(place, column, float(Decimal(str(value))))
                elif isinstance(value, int):
                    sheet.write_number(place, column, value)
                else:
                    sheet.write_string(place, column, str(value))
    return made.getvalue()
