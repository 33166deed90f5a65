"""The passages of a company: its tables in their layouts, and its paragraphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from typing import Any, Final

from tests.evaluation.checking.statements import Cell, Company, Passage, Table

SIGNS: Final = {"USD": "$", "GBP": "£", "EUR": "€", "JPY": "¥", "SEK": "", "NOK": ""}


@cache
def passages(company: Company) -> tuple[Passage, ...]:
    """All passages of the company's report of the year."""
    made = [_table_passage(company, table, company.slug, table.periods) for table in company.tables]
    for prose, cells in zip(company.told, company.told_cells, strict=True):
        text = " ".join(prose["text"].split())
        period = company.tables[0].periods[0]
        made.append(
            Passage(fields=_fields(company, company.slug, prose["id"], period, prose["section"], "", text), cells=cells)
        )
    return tuple(made)


def earlier_report(company: Company, table_id: str) -> Passage | None:
    """The same table in the report of the year before; None for a paragraph or a table of too few years."""
    table = next((each for each in company.tables if each.id == table_id), None)
    if table is None or len(table.periods) < 3 or table.periods[0].startswith("Q"):
        return None
    return _table_passage(company, table, f"{company.slug}-prior", table.periods[1:])


def _table_passage(company: Company, table: Table, slug: str, periods: Sequence[str]) -> Passage:
    rows = [[cell for cell in row if cell.period in periods] for row in table.cells]
    heads = [cell.column for cell in rows[0]]
    section, caption = table.section, table.caption
    body = _body(company, table, rows, heads)
    text = body
    if table.layout in ("above", "sign", "percent", "markdown", "unit"):
        text = "\n".join(
            line for line in (section.split(" (")[0], caption if table.layout != "unit" else "", body) if line
        )
    elif table.layout == "list":
        text = f"{section} {periods[0]}\n{body}"
    header = caption if table.layout == "header" else ""
    fields = _fields(company, slug, table.id, periods[0], section, header, text)
    cells = tuple(replace(cell, ref_id=f"{slug}|{table.id}") for row in rows for cell in row)
    return Passage(fields=fields, cells=cells)


def _fields(
    company: Company, slug: str, place: str, period: str, section: str, caption: str, text: str
) -> dict[str, Any]:
    year, quarter = (int(period[3:]), int(period[1])) if period.startswith("Q") else (int(period), None)
    title = f"{company.name} {company.report} {period}"
    return {
        "ref_id": f"{slug}|{place}",
        "title": title,
        "company": company.name,
        "document_type": company.type,
        "fiscal_year": year,
        "fiscal_quarter": quarter,
        "context_header": " | ".join(each for each in (title, section, caption) if each),
        "section": section,
        "text": text,
    }


def _body(company: Company, table: Table, rows: list[list[Cell]], heads: list[str]) -> str:
    match table.layout:
        case "list":
            return "\n".join(_listed(company, row) for row in rows)
        case "markdown":
            first = f"| | {' | '.join(heads)} |\n|{' --- |' * (len(heads) + 1)}"
            return "\n".join([first, *(f"| {row[0].label} | {' | '.join(c.raw for c in row)} |" for row in rows)])
        case "unit":
            first = f"Item | Unit | {' | '.join(heads)}"
            unit = f"{company.currency} {company.scale}"
            return "\n".join([first, *(f"{row[0].label} | {unit} | {' | '.join(c.raw for c in row)}" for row in rows)])
        case "percent":
            last = "Veränderung" if company.language == "de" else "Change"
            first = f" | {' | '.join(heads)} | {last}"
            return "\n".join([first, *(f"{_plain(row)} | {_changed(company, row)}" for row in rows)])
        case "sign":
            sign = SIGNS[company.currency]
            signed = " | ".join([rows[0][0].label, *(f"{sign} {cell.raw}" for cell in rows[0])])
            return "\n".join([f" | {' | '.join(heads)}", signed, *(_plain(row) for row in rows[1:])])
        case _:
            return "\n".join([f" | {' | '.join(heads)}", *(_plain(row) for row in rows)])


def _plain(row: list[Cell]) -> str:
    return " | ".join([row[0].label, *(cell.raw for cell in row)])


def _changed(company: Company, row: list[Cell]) -> str:
    change = (row[0].value / row[1].value - 1) * 100
    text = f"{change.quantize(Decimal('0.1'), ROUND_HALF_UP):+}"
    return f"{text.replace('.', ',')} %" if company.language == "de" else f"{text}%"


def _listed(company: Company, row: list[Cell]) -> str:
    now, before = (_with_unit(company, cell) for cell in row[:2])
    return f"- {row[0].label}: {now} ({row[1].period}: {before})"


def _with_unit(company: Company, cell: Cell) -> str:
    sign = SIGNS[company.currency] or f"{company.currency} "
    return f"{sign}{cell.raw}" if cell.kind == "s" else f"{sign}{cell.raw} {cell.scale}"
