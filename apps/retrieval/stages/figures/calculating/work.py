"""Answer a question by the calculation that it asks for, over the rows that it names.

Nothing is chosen where the question leaves it open: if two rows fit equally well and differ, nothing is calculated.
What is written is checked like any other statement (grounding/ground.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Context, DivisionByZero, InvalidOperation, Overflow, localcontext
from functools import partial
from typing import Final

from apps.corpus.terms import terms
from apps.filings.vocabulary.concepts import concepts
from apps.retrieval.contracts import ContextBlock, QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import AskedForm, Form
from apps.retrieval.stages.figures.calculating.defined import find_defined
from apps.retrieval.stages.figures.calculating.definitions import Definition, read_definition
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.calculating.left_out import leaves_out
from apps.retrieval.stages.figures.calculating.operands import (
    Calculated,
    Operand,
    TimeSeries,
    find_time_series,
    show,
)
from apps.retrieval.stages.figures.calculating.over_companies import compare_companies
from apps.retrieval.stages.figures.calculating.over_rows import (
    comparison,
    difference,
    extreme_row,
    ratio,
    say_sign,
    share,
    sign,
    sum_of_rows,
)
from apps.retrieval.stages.figures.calculating.over_threshold import compare_with_threshold, say_threshold
from apps.retrieval.stages.figures.calculating.over_years import average_or_sum, change, compound_growth, extreme_year
from apps.retrieval.stages.figures.calculating.quarters import asked_quarter
from apps.retrieval.stages.figures.calculating.scales import in_scale
from apps.retrieval.stages.figures.calculating.series import Series, read_series
from apps.retrieval.stages.figures.calculating.wording import Wording, wording_for
from apps.retrieval.stages.figures.formulas import have_one_shape, lines_of
from apps.retrieval.stages.figures.measure_table import MEASURES
from apps.retrieval.stages.figures.own_formula import brings_a_formula

_GERMAN: Final = str.maketrans({",": ".", ".": ","})
_NO_NUMBERS: Final = re.compile(r"“[^”]*”|\[[^\]]*\]|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)")
_PRECISE: Final = Context(prec=40)

OverYears = Callable[[AskedForm, TimeSeries, Wording], Calculated | None]
OverRows = Callable[[AskedForm, Sequence[Series], QueryAnalysis], Calculated | None]
_OVER_YEARS: Final[Mapping[Form, OverYears]] = {
    Form.CHANGE: change,
    Form.COMPOUND_GROWTH: compound_growth,
    Form.AVERAGE: average_or_sum,
    Form.SUM: average_or_sum,
    Form.HIGHEST: extreme_year,
    Form.LOWEST: extreme_year,
}
_OVER_ROWS: Final[Mapping[Form, OverRows]] = {
    Form.SHARE: share,
    Form.DIFFERENCE: difference,
    Form.COMPARISON: comparison,
    Form.SIGN: sign,
    Form.THRESHOLD: compare_with_threshold,
    Form.RATIO: ratio,
    Form.SUM: sum_of_rows,
    Form.HIGHEST: extreme_row,
    Form.LOWEST: extreme_row,
}


def calculate(analysis: QueryAnalysis, context: ContextBlock) -> Calculated | None:
    """Return the calculation that a question asks for; None if it asks for none, or an operand is missing or open."""
    forms = read_forms(analysis)
    may_average = any(each.of_balances for each in forms)
    if not forms or not (may_average or asks_for_a_calculation(analysis)) or asked_quarter(analysis) is None:
        return None
    series = read_series(context, analysis)
    if _leaves_the_company_open(series, analysis):
        return None
    if len(analysis.companies_named) > 1:
        found = _try(lambda: compare_companies(analysis.companies_named, forms[0], series, analysis))
    else:
        definition = read_definition(analysis.text)
        by_definition = [partial(_by_definition, definition, series, analysis)] if definition else []
        spelled_out = [partial(_spelled_out, definition, series, analysis)] if definition else []
        works = [*by_definition, *spelled_out, *(partial(_work, asked, series, analysis) for asked in forms)]
        # Where nothing is asked of the ratio of two figures, a share of a table's total may be meant.
        if definition is not None and not definition.is_defined and not _is_composed(definition, analysis):
            works = [*works[2:], *works[:2]]
        tried = (_try(work) for work in works)
        found = next((each for each in tried if each and not leaves_out(each, analysis)), None)
    return _in_language(found, analysis.language) if found else None


def find_value(analysis: QueryAnalysis, context: ContextBlock) -> Calculated | None:
    """Return the figure that a question names, of the year asked for: a row, or a measure with its calculation.

    A question with a formula of its own names no measure of ours.
    """
    forms = read_forms(analysis)
    if not forms or asks_for_a_calculation(analysis) or asked_quarter(analysis) is None or brings_a_formula(analysis):
        return None
    series = read_series(context, analysis)
    if _leaves_the_company_open(series, analysis):
        return None
    found = _try(lambda: _value(forms[0], series, analysis))
    if found and leaves_out(found, analysis):
        return None
    return _in_language(found, analysis.language) if found else None


def asks_for_a_calculation(analysis: QueryAnalysis) -> bool:
    """Return whether a row alone does not answer: a change, a share or a comparison is asked for, and not a figure.

    An average of one year may be the name of a row: "average yield to maturity".
    """
    forms = [each for each in read_forms(analysis) if not each.of_balances]
    return len(forms) > 1 or len(analysis.companies_named) > 1 or bool(forms and read_definition(analysis.text))


def asks_for_a_measure(analysis: QueryAnalysis) -> bool:
    """Return whether a question names a measure that is calculated: its parts alone are not the measure."""
    return any(each.label in MEASURES for each in analysis.expansions)


def _work(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    if asked.among_rows:
        over_rows = _OVER_ROWS.get(asked.form)
        return over_rows(asked, series, analysis) if over_rows else None
    over_years = _OVER_YEARS.get(asked.form)
    time_series = find_time_series(asked.parts[0], series, analysis) if over_years else None
    if not over_years or time_series is None or (asked.of_balances and not time_series.is_balance):
        return None
    return over_years(asked, time_series, wording_for(analysis))


def _is_composed(definition: Definition, analysis: QueryAnalysis) -> bool:
    """Return whether a question asks for a change, an average or the like of a formula, and not for its value."""
    return len(_forms_beside(definition, analysis)) > 1


def _forms_beside(definition: Definition, analysis: QueryAnalysis) -> tuple[AskedForm, ...]:
    """Return the forms of a question without its formula, whose years are of its parts, and not of what is asked."""
    forms = read_forms(replace(analysis, text=definition.rest))
    years = forms[-1].years if forms else ()
    beside = tuple(year for year in years if re.search(rf"(?<!\d)(?:{year}|{year % 100:02})(?!\d)", definition.rest))
    return tuple(replace(each, years=beside or years[-1:]) for each in forms if not each.among_rows)


def _by_definition(definition: Definition, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return what is asked of the formula that a question brings: its value, change, average and so on."""
    forms = _forms_beside(definition, analysis)
    time_series = find_defined(definition, forms[-1], series, analysis, goes_on=len(forms) > 1) if forms else None
    if time_series is None:
        return None
    for asked in forms:
        if (over_years := _OVER_YEARS.get(asked.form)) and (
            found := over_years(asked, time_series, wording_for(analysis))
        ):
            return found
    operands = time_series.all_of(forms[-1].years or time_series.years[-1:])
    compared = next((each for each in read_forms(analysis) if each.threshold), None)
    if compared is not None:
        return say_threshold(replace(compared, years=forms[-1].years), time_series, analysis)
    asked_sign = next(
        (each for each in read_forms(replace(analysis, text=definition.rest)) if each.form is Form.SIGN), None
    )
    if operands and asked_sign:
        return say_sign(asked_sign, operands[-1], analysis)
    return show([], operands) if operands and len(forms) == 1 else None


def _spelled_out(definition: Definition, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    """Return the measure that a question names and spells out in its own words: "tax rate - tax over pre-tax income".

    Its lines need not be called as the question calls them: its formula has the same shape, and each of its names
    shares a word with the line in its place.
    """
    language, forms = analysis.language, read_forms(replace(analysis, text=definition.rest))
    for expansion in analysis.expansions if definition.is_defined and len(forms) == 1 else ():
        for measure in MEASURES.get(expansion.label, ()):
            pairs = zip(lines_of(definition.formula), lines_of(measure.formula), strict=False)
            if have_one_shape(definition.formula, measure.formula) and all(
                set(terms(one.name, language)) & set(terms(f"{other.name} {_labels_of(other.name)}", language))
                for one, other in pairs
            ):
                return _value(forms[0], series, replace(analysis, text=definition.rest))
    return None


def _labels_of(name: str) -> str:
    concept = concepts().get(name)
    return " ".join((*concept.labels, *concept.asked)) if concept else ""


def _value(asked: AskedForm, series: Sequence[Series], analysis: QueryAnalysis) -> Calculated | None:
    time_series = find_time_series(analysis.text, series, analysis)
    found = time_series.all_of(asked.years or time_series.years[-1:]) if time_series else None
    if found is None or not all(_gives_what_is_asked(each, asked) for each in found):
        return None
    lines = [line for each in found if (line := in_scale(each, asked, wording_for(analysis)))]
    return show(lines, found)


def _gives_what_is_asked(operand: Operand, asked: AskedForm) -> bool:
    """Return whether a figure may be the answer: no amount for a per cent, and none whose scale can't be told.

    A question for a span of years asks for more than the figures of its first and last year.
    """
    spans = asked.whole_range or asked.since or asked.count > 1
    scale_is_open = asked.exponent is not None and operand.exponent is None and not operand.percent
    return not spans and not scale_is_open and (operand.percent or not asked.percent or bool(operand.before))


def _try(work: Callable[[], Calculated | None]) -> Calculated | None:
    """Return what is worked out; None if a divisor is zero, or a result has more digits than are calculated with."""
    with localcontext(_PRECISE):
        try:
            return work()
        except (DivisionByZero, InvalidOperation, Overflow):
            return None


def _leaves_the_company_open(series: Sequence[Series], analysis: QueryAnalysis) -> bool:
    """Return whether a question names no company, and tables of several were found."""
    return not analysis.companies_named and len({each.passage.chunk.document.company for each in series}) > 1


def _in_language(calculated: Calculated, language: str) -> Calculated:
    """Return the lines with the numbers of a language: 1,234.5 in English is 1.234,5 in German."""
    if language != "de":
        return calculated
    # What stands in quotation marks or is a reference is left as it is.
    return replace(
        calculated,
        lines=tuple(
            _NO_NUMBERS.sub(
                lambda match: match["number"].translate(_GERMAN) if match["number"] else match.group(), line
            )
            for line in calculated.lines
        ),
    )
