"""The measured check of answers on a terminal, and as one JSON object."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from apps.quality.evaluation.checking import ALL, Checked, CheckingFigures
from apps.quality.evaluation.checking_cases import RIGHT


def print_checking(console: Console, figures: CheckingFigures) -> None:
    """Print the share of the right answers that passed and of the wrong ones that were stopped."""
    columns = [ALL, *sorted({name for shares in figures.shares.values() for name in shares} - {ALL})]
    table = Table(Column("", no_wrap=True), *columns, title="Right answers passed, wrong ones stopped")
    table.title_justify = "left"
    for class_, shares in figures.shares.items():
        found = (shares.get(column) for column in columns)
        cells = (f"{share.value:.3f} of {share.cases}" if share else "-" for share in found)
        table.add_row(f"{class_} passed" if class_ == RIGHT else f"{class_} stopped", *cells)
    console.print(table)
    console.print(f"The check: p50 {figures.p50_ms} ms, p95 {figures.p95_ms} ms, over {figures.cases} answers.")


def print_unwanted(console: Console, checked: Iterable[Checked], class_: str) -> None:
    """Print the cases of a class that did not come out as wanted, with what the check did not find supported."""
    for each in checked:
        if each.as_wanted or each.case.class_ != class_:
            continue
        case = each.case
        console.print(Text(f"{case.id} {case.style} {case.mutated}: {case.question}\n  {case.answer}"), soft_wrap=True)
        for finding in each.report.findings if each.report else ():
            if not finding.supported:
                console.print(Text(f"    {finding.type.value} | {finding.value} | {finding.note}"), soft_wrap=True)


def checking_json(figures: CheckingFigures) -> dict[str, Any]:
    return {
        "cases": figures.cases,
        "ground_ms": {"p50": figures.p50_ms, "p95": figures.p95_ms},
        "as_wanted": {
            class_: {column: {"share": round(each.value, 4), "of": each.cases} for column, each in shares.items()}
            for class_, shares in figures.shares.items()
        },
    }
