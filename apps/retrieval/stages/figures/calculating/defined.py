"""Calculate the formula that a question brings, as a figure a year."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm
from apps.retrieval.stages.figures.calculating.definitions import Definition
from apps.retrieval.stages.figures.calculating.operands import (
    Operand,
    TimeSeries,
    find_time_series,
    worked_operand,
)
from apps.retrieval.stages.figures.calculating.ratios import WorkedRatio
from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.calculating.wording import wording_for
from apps.retrieval.stages.figures.formulas import names_of, work_out

_PLACES_OF_A_SHARE: Final = 1
_PLACES_OF_A_RATIO: Final = 2


def find_defined(
    definition: Definition,
    asked: AskedForm,
    series: Sequence[Series],
    analysis: QueryAnalysis,
    *,
    goes_on: bool,
) -> TimeSeries | None:
    """Return the formula of a question as a time series; None if a name in it is no row and no measure.

    Args: goes_on: whether something is calculated from its values, which then have a digit more.
    """
    lines = {line.name: find_time_series(line.name, series, analysis) for line in names_of(definition.formula)}
    held = {name: each for name, each in lines.items() if each is not None}
    labels = {each.label for each in held.values()}
    if not held or len(held) < len(lines) or len(labels) < len(held):
        return None
    first = next(iter(held.values()))

    words = wording_for(analysis)

    def of(year: int) -> Operand | None:
        worked = _work_out(definition, asked, held, year, goes_on=goes_on)
        rows = [each.label for each in held.values()]
        return worked_operand(worked, "", rows, year, words) if worked else None

    years = sorted(set.intersection(*(set(each.years) for each in held.values())))
    return TimeSeries(
        label=first.label,
        name=", ".join(dict.fromkeys(each.name for each in held.values())),
        percent=definition.percent,
        years=tuple(year for year in years if of(year) is not None),
        company=first.company,
        of=of,
    )


def _work_out(
    definition: Definition, asked: AskedForm, lines: dict[str, TimeSeries], year: int, *, goes_on: bool
) -> WorkedRatio | None:
    used: list[Operand] = []

    def look_up(name: str, of: int) -> Decimal | None:
        operand = lines[name].of(of)
        # A share of a loss means nothing.
        if operand is None or (operand.value < 0 and not definition.is_amount):
            return None
        used.append(operand)
        return operand.value

    worked = work_out(definition.formula, year=year, figure=look_up)
    # Figures of different scales would need a conversion that the calculation does not show.
    scales = {each.exponent for each in used if not each.percent}
    if worked is None or len(scales) > 1:
        return None
    value = worked.value * 100 if definition.percent else worked.value
    if not definition.is_amount:
        usual = _PLACES_OF_A_SHARE if definition.percent else _PLACES_OF_A_RATIO
        places = usual + 1 if goes_on else usual if asked.places is None else asked.places
        value = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP)
    return WorkedRatio(
        value=value,
        percent=definition.percent,
        text=worked.text,
        rows=tuple(row for each in used for row in each.rows),
        refs=tuple(dict.fromkeys(ref for each in used for ref in each.refs)),
        exponent=next(iter(scales), None) if definition.is_amount else None,
    )
