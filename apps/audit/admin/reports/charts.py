"""A report's tables as drawings: a row of bars for each figure over time, a bar for each thing that is counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from apps.audit.admin.events.payload import subject_url
from apps.audit.reporting.contracts import Cell, Report, Table
from apps.tenants.admin.charts import Bar, BarLine, Stretch, draw_bar, draw_stretch

_SHOWN: Final = 8
_WORDS: Final = {
    "intents": "How many questions of each intent were asked. Questions that were rejected or failed have none.",
    "outcomes": "How questions ended. Degraded: answered without a part that should have taken part. Refused: too "
    "vague, nothing found, not confirmed by the documents, or not readable. Searched: for passages, without an answer.",
    "latency": "The time from the question to its answer. p50: half of the questions took no longer; p95: 95 in 100.",
    "kinds": "In how many questions a kind of document was permitted, stood in the context, and was cited.",
    "documents": "The documents that most answers cite, each version by itself. A question counts once.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """One thing that is counted: its number, and its bar."""

    name: str
    url: str
    note: str
    number: str
    bar: Stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A table with its drawing: lines over time, or shares; neither where there is nothing to draw.

    more: how many figures are in the table alone.
    """

    table: Table
    about: str
    lines: tuple[BarLine, ...] = ()
    shares: tuple[Share, ...] = ()
    places: int = 0
    first: str = ""
    last: str = ""
    top: str = ""
    more: int = 0

    @property
    def empty(self) -> bool:
        return not self.lines and not self.shares


def charts_of(report: Report) -> tuple[Chart, ...]:
    return tuple(
        _shares(table) if table.key in ("kinds", "documents") else _over_time(table) for table in report.tables
    )


def _over_time(table: Table) -> Chart:
    drawn = [position for position, name in enumerate(table.columns) if position and name != "Questions"]
    summing = table.key != "latency"
    values = {position: [_value(cell) for cell in table.column(position)] for position in drawn}
    top = max((value for each in values.values() for value in each), default=0.0)
    days = [str(cell) for cell in table.column(0)]
    lines = [
        BarLine(
            name=table.columns[position],
            summary=_summary(table.column(position), summing=summing),
            bars=tuple(_bars(table.columns[position], days, table.column(position), top)),
        )
        for position in drawn
        if top
    ]
    return Chart(
        table=table,
        about=_WORDS[table.key],
        lines=tuple(lines[:_SHOWN]),
        places=len(days),
        first=days[0] if days else "",
        last=days[-1] if days else "",
        top=number(top),
        more=max(0, len(lines) - _SHOWN),
    )


def _bars(name: str, days: list[str], cells: Iterable[Cell], top: float) -> Iterable[Bar]:
    for place, (day, cell) in enumerate(zip(days, cells, strict=True)):
        value = _value(cell)
        if value:
            yield draw_bar(place, value / top, says=f"{day}: {name} {number(value)}")


def _shares(table: Table) -> Chart:
    counted = 2 if table.key == "kinds" else 1
    top = max((_value(cell) for cell in table.column(counted)), default=0.0)
    ids = table.row_ids or (None,) * len(table.rows)
    shares = tuple(
        Share(
            name=str(row[0]),
            url=subject_url("document", id) if id else "",
            note=str(row[2]) if table.key == "documents" else f"permitted in {row[1]}, cited in {row[3]}",
            number=number(_value(row[counted])),
            bar=draw_stretch(_value(row[counted]), top),
        )
        for row, id in zip(table.rows, ids, strict=True)
    )
    return Chart(table=table, about=_WORDS[table.key], shares=shares)


def _summary(cells: Iterable[Cell], *, summing: bool) -> str:
    values = [_value(cell) for cell in cells if cell is not None]
    if summing:
        return f"{number(sum(values))} in all"
    return f"up to {number(max(values, default=0.0))}"


def number(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.1f}"


def _value(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0
