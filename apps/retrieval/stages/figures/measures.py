"""Calculate a measure from the rows of the statements, and show how: (5,308 - 2,213) / 4,476 = 0.69.

A measure is calculated only if there is nothing to choose: every part is one figure of its year in one document or
company, in one scale. A question with a formula of its own is answered by that formula, or by the rows alone if the
formula is not understood. Everything that is shown is checked like any other claim (ground.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Final

from apps.filings.text.numbers import NumberUnit
from apps.retrieval.contracts import DocumentId, QueryAnalysis
from apps.retrieval.stages.figures.formulas import Formula, lines_of, only_adds, read_formula, work_out
from apps.retrieval.stages.figures.in_passages import Figure
from apps.retrieval.stages.figures.line_answer import LineRow
from apps.retrieval.stages.figures.measure_table import MEASURES, SPENT, Measure, Result
from apps.retrieval.stages.figures.own_formula import brings_a_formula, own_formula


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedMeasure:
    """A measure calculated for one year. text: the calculation as shown, without references."""

    text: str
    ref_ids: tuple[str, ...]


_DECIMALS: Final = {Result.RATIO: 2, Result.PERCENT: 1}
# The rows by their own labels, so that each can be found where it is cited.
_AS_DEFINED: Final = "By your formula, from {rows}"


def work_out_measures(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> tuple[WorkedMeasure, ...]:
    """Return the measures that a question asks for, for each year asked for, the latest first.

    Args: rows: as line_rows chose them.
    Returns: nothing if a part is missing, occurs with different values, or is negative where only its size is
             meaningful.
    """
    if any(period.fiscal_quarter for period in analysis.periods):
        return ()
    if brings_a_formula(analysis):
        worked = _as_defined(analysis, rows)
        return () if worked is None else (worked,)
    found: list[WorkedMeasure] = []
    for expansion in analysis.expansions:
        for year in _years(analysis, rows):
            of_year = (_work_out_measure(measure, rows, year) for measure in MEASURES.get(expansion.label, ()))
            found.extend([each for each in of_year if each is not None][:1])
    return tuple(found)


def _as_defined(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> WorkedMeasure | None:
    own = own_formula(analysis, {name: found[0].text for name, found in MEASURES.items()})
    formula = read_formula(own.formula) if own else None
    # A sum of amounts is not a share: a question that wants per cent means something else.
    if own is None or formula is None or (own.percent and only_adds(formula)):
        return None
    result = Result.PERCENT if own.percent else Result.AMOUNT if only_adds(formula) else Result.RATIO
    measure = Measure(label="", text=own.formula, formula=formula, result=result, decimals=own.decimals)
    return _work_out_measure(measure, rows, own.year)


def _years(analysis: QueryAnalysis, rows: Sequence[LineRow]) -> list[int]:
    asked = {period.fiscal_year for period in analysis.periods}
    if not asked:
        asked = {max(row.years) for row in rows[:1] if row.years}
    return sorted(asked, reverse=True)


def _work_out_measure(measure: Measure, rows: Sequence[LineRow], year: int) -> WorkedMeasure | None:
    by_document: dict[DocumentId, list[LineRow]] = {}
    for row in rows:
        by_document.setdefault(row.document_id, []).append(row)
    # Parts that one document does not give are taken from another document of the same company.
    companies = {row.passage.chunk.document.company for row in rows}
    together = [list(rows)] if len(companies) == 1 and len(by_document) > 1 else []
    wanted = {(line.name, of) for line in lines_of(measure.formula) for of in line.of(year)}
    for of_document in (*by_document.values(), *together):
        figures = {(name, of): _figure(name, of_document, of) for name, of in wanted}
        parts = {part: figure for part, figure in figures.items() if figure is not None}
        if len(parts) == len(figures) and len({figure.stated.exponent for figure in parts.values()}) == 1:
            return _show_calculation(measure, parts, year)
    return None


def _figure(part: str, rows: Sequence[LineRow], year: int) -> Figure | None:
    """Return the one figure of a line in a year.

    Returns: None if there is no figure, more than one value, or a negative value of a line that is not an outflow.
    """
    of_year = {
        figure
        for row in rows
        if row.item == part
        for figure in row.figures
        if figure.years == {year} and figure.number.unit is NumberUnit.PLAIN
    }
    found = next(iter(of_year)) if len({figure.number.value for figure in of_year}) == 1 else None
    return None if found is None or (found.number.negative and part not in SPENT) else found


def _show_calculation(measure: Measure, parts: dict[tuple[str, int], Figure], year: int) -> WorkedMeasure | None:
    worked = work_out(measure.formula, year=year, figure=lambda name, of: parts[name, of].number.value)
    if worked is None:
        return None
    value = worked.value * 100 if measure.result is Result.PERCENT else worked.value
    if measure.result is not Result.AMOUNT or measure.decimals is not None:
        decimals = _DECIMALS.get(measure.result, 0) if measure.decimals is None else measure.decimals
        try:
            value = value.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
        except InvalidOperation:
            # More digits than can be stated exactly: a product of amounts that means nothing.
            return None
    told = f"{value:,}{' %' if measure.result is Result.PERCENT else ''}"
    label = measure.label or _AS_DEFINED.format(rows=" and ".join(_rows_of(measure.formula, parts, year)))
    return WorkedMeasure(
        text=f"{label}, FY{year}: {worked.text} = {told}",
        ref_ids=tuple(dict.fromkeys(figure.ref_id for figure in parts.values())),
    )


def _rows_of(formula: Formula, parts: dict[tuple[str, int], Figure], year: int) -> list[str]:
    named = (parts[line.name, line.of(year)[-1]].label_text for line in lines_of(formula))
    return [f"“{name}”" for name in dict.fromkeys(named)]
