"""Annual reports of an invented company as HTML, whose sums hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

COMPANY = "Velden Cranes plc"


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """What the statements of one year are made of, in millions of US dollars."""

    revenue: int
    cost: int
    expenses: int
    tax: int
    cash: int
    receivables: int
    plant: int
    payables: int
    debt: int

    @property
    def gross(self) -> int:
        return self.revenue - self.cost

    @property
    def operating(self) -> int:
        return self.gross - self.expenses

    @property
    def net(self) -> int:
        return self.operating - self.tax

    @property
    def assets(self) -> int:
        return self.cash + self.receivables + self.plant

    @property
    def equity(self) -> int:
        return self.assets - self.payables - self.debt


YEARS: Mapping[int, Year] = {
    2022: Year(
        revenue=4210, cost=2610, expenses=905, tax=139, cash=512, receivables=803, plant=2240, payables=611, debt=1120
    ),
    2023: Year(
        revenue=4655, cost=2834, expenses=977, tax=168, cash=604, receivables=866, plant=2395, payables=655, debt=1080
    ),
    2024: Year(
        revenue=4471, cost=2766, expenses=951, tax=151, cash=587, receivables=842, plant=2487, payables=640, debt=1015
    ),
}


def report_html(year: int, *, years: Mapping[int, Year] = YEARS, misprint: int = 0) -> bytes:
    """Return the report of a year, with the year before beside it. Args: misprint: what total assets are wrong by."""
    now, before = years[year], years[year - 1]

    def row(label: str, *values: int) -> str:
        cells = "".join(f"<td>{f'({-value:,})' if value < 0 else f'{value:,}'}</td>" for value in values)
        return f"<tr><td>{label}</td>{cells}</tr>"

    def table(title: str, rows: list[str], dates: bool = False) -> str:
        heads = [f"December 31, {each}" if dates else str(each) for each in (year, year - 1)]
        head = "".join(f"<th>{each}</th>" for each in heads)
        top = f"<tr><th>(in millions of US dollars)</th>{head}</tr>"
        return f"<h2>{title}</h2><table>{top}{''.join(rows)}</table>"

    both = (now, before)
    income = [
        row("Revenue", *(each.revenue for each in both)),
        row("Cost of revenue", *(each.cost for each in both)),
        row("Gross profit", *(each.gross for each in both)),
        row("Selling, general and administrative expenses", *(each.expenses for each in both)),
        row("Operating income", *(each.operating for each in both)),
        row("Income tax expense", *(each.tax for each in both)),
        row("Net income", *(each.net for each in both)),
    ]
    balance = [
        row("Cash and cash equivalents", *(each.cash for each in both)),
        row("Accounts receivable", *(each.receivables for each in both)),
        row("Total current assets", *(each.cash + each.receivables for each in both)),
        row("Property, plant and equipment", *(each.plant for each in both)),
        row("Total assets", *(each.assets + misprint for each in both)),
        row("Accounts payable", *(each.payables for each in both)),
        row("Long-term debt", *(each.debt for each in both)),
        row("Total liabilities", *(each.payables + each.debt for each in both)),
        row("Total shareholders' equity", *(each.equity for each in both)),
        row("Total liabilities and shareholders' equity", *(each.assets for each in both)),
    ]
    body = (
        f"<h1>{COMPANY}: annual report {year}</h1><p>For the fiscal year ended December 31, {year}.</p>"
        + table("Consolidated Statements of Income", income)
        + table("Consolidated Balance Sheets", balance, dates=True)
    )
    return f"<html><head><title>{COMPANY} {year}</title></head><body>{body}</body></html>".encode()
