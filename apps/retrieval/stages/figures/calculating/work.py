"""Answer a question by the calculation that it asks for, over the rows that it names.

Nothing is chosen where the question leaves it open: if two rows fit equally well and differ, nothing is calculated.
What is written is checked like any other statement (grounding/ground.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, DivisionByZero, InvalidOperation, localcontext
from typing import Final

from apps.retrieval.contracts import ContextBlock, QueryAnalysis
from apps.retrieval.stages.figures.calculating.forms import AskedForm, Form, read_forms
from apps.retrieval.stages.figures.calculating.operands import Calculated, find_track, in_language, in_scale, show
from apps.retrieval.stages.figures.calculating.over_companies import compare_companies
from apps.retrieval.stages.figures.calculating.over_rows import difference, extreme_row, ratio, share
from apps.retrieval.stages.figures.calculating.over_years import average_or_sum, change, compound_growth, extreme_year
from apps.retrieval.stages.figures.calculating.series import Series, read_series
from apps.retrieval.stages.figures.calculating.wording import wording
from apps.retrieval.stages.figures.own_formula import brings_a_formula

_PRECISE: Final = Context(prec=40)

Work = Callable[[AskedForm, Sequence[Series], QueryAnalysis], Calculated | None]
_OVER_YEARS: Final[Mapping[Form, Work]] = {
    Form.CHANGE: change,
    Form.COMPOUND_GROWTH: compound_growth,
    Form.AVERAGE: average_or_sum,
    Form.SUM: average_or_sum,
    Form.HIGHEST: extreme_year,
    Form.LOWEST: extreme_year,
}
_OVER_ROWS: Final[Mapping[Form, Work]] = {
    Form.SHARE: share,
    Form.DIFFERENCE: difference,
    Form.RATIO: ratio,
    Form.SUM: difference,
    Form.HIGHEST: extreme_row,
    Form.LOWEST: extreme_row,
}


def calculate(analysis: QueryAnalysis, context: ContextBlock) -> Calculated | None:
    """Return the calculation that a question asks for; None if it asks for none, or an operand is missing or open."""
    forms = read_forms(analysis)
    if not forms or any(period.fiscal_quarter for period in analysis.periods):
        return None
    series = read_series(context, analysis)
    with localcontext(_PRECISE):
        if len(analysis.companies_named) > 1:
            found = compare_companies(analysis.companies_named, forms[0], series, analysis)
        else:
            found = next((done for asked in forms if (done := _work(asked, series, analysis))), None)
    return in_language(found, analysis.language) if found else None


def find_value(analysis: QueryAnalysis, context: ContextBlock) -> Calculated | None:
    """Return the figure that a question names, of the year asked for: a row, or a measure with its calculation.

    A question with a formula of its own names no measure of ours.
    """
    forms = read_forms(analysis)
    if len(forms) != 1 or brings_a_formula(analysis) or any(each.fiscal_quarter for each in analysis.periods):
        return None
    if len(analysis.companies_named) > 1:
        return None
    with localcontext(_PRECISE):
        track = find_track(analysis.text, read_series(context, analysis), analysis)
        years = forms[0].years or (track.years[-1:] if track else ())
        found = track.all_of(years) if track else None
        if found is None:
            return None
        lines = [line for each in found if (line := in_scale(each, forms[0], wording(analysis.language)))]
    return in_language(show(lines, found), analysis.language)


def asks_for_a_calculation(analysis: QueryAnalysis) -> bool:
    """Return whether a row alone does not answer: a change, a share or a comparison is asked for, and not a figure."""
    forms = read_forms(analysis)
    return len(forms) > 1 or len(analysis.companies_named) > 1


def _work(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    work = (_OVER_ROWS if asked.among_rows else _OVER_YEARS).get(asked.form)
    try:
        return work(asked, series, analysis) if work else None
    except (DivisionByZero, InvalidOperation):
        return None
