"""Tell a calculation that leaves out a part of what was asked: an average, a constant, one row of several."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.asked_form import Form
from apps.retrieval.stages.figures.calculating.form_words import (
    AVERAGE,
    CHANGE,
    COMPOUND,
    FACTOR,
    FALL,
    HIGHEST,
    LESS,
    LOWEST,
    MORE,
    PERCENT,
    RISE,
    STATES_A_CHANGE,
    WHICH_ROW,
)
from apps.retrieval.stages.figures.calculating.forms import read_forms
from apps.retrieval.stages.figures.calculating.operands import Calculated
from apps.retrieval.stages.ranking.relevance import holds_number

_SAID_BY: Final = {
    Form.HIGHEST: HIGHEST,
    Form.LOWEST: LOWEST,
    Form.COMPOUND_GROWTH: COMPOUND,
    Form.CHANGE: re.compile("|".join(each.pattern for each in (RISE, FALL, CHANGE, MORE, LESS)), re.IGNORECASE),
    Form.SHARE: PERCENT,
}
"""The words by which a sentence states the result of a calculation."""
_ONLY_CALCULATED: Final = (Form.THRESHOLD, Form.COMPARISON, Form.SIGN, Form.DIFFERENCE)
_SEVERAL_ADDED: Final = re.compile(r"\([^()]* \+ [^()]*\) / \d")
_FEWEST_ROWS: Final = 2
_A_PAIR: Final = 2


def lacks_what_is_calculated(quoted: str, analysis: QueryAnalysis) -> bool:
    """Return whether sentences can't be the answer: an average that none tells, or one company of several.

    Of a period, no sentence tells which figure is the highest, unless it says so; nor does it give a verdict, nor a
    change without a word for one.
    """
    if analysis.wants_number and len(analysis.companies_named) > 1:
        return True
    if AVERAGE.search(COMPOUND.sub(" ", analysis.text)) is not None and AVERAGE.search(quoted) is None:
        return True
    asked = read_forms(analysis)[:1] if analysis.periods else ()
    return any(
        each.yes_no
        or each.form in _ONLY_CALCULATED
        or (each.form is not Form.VALUE and not holds_number(quoted))
        or (each.form in _SAID_BY and _SAID_BY[each.form].search(quoted) is None)
        for each in asked
    )


def leaves_out(found: Calculated, analysis: QueryAnalysis) -> bool:
    """Return whether a question says more than a calculation does.

    Who asks for the average of three years is not answered by one of them, nor who asks for a row by the change of one.
    """
    text = analysis.text
    shown = "\n".join(found.lines)
    rows = "\n".join(f"{quote.columns}\n{quote.text}" for quote, _ in found.rows)
    averages = AVERAGE.search(COMPOUND.sub(" ", text)) is not None and COMPOUND.search(shown) is None
    if averages and not AVERAGE.search(f"{shown}\n{rows}") and not _SEVERAL_ADDED.search(shown):
        return True
    if any(factor not in shown for factor in FACTOR.findall(text)):
        return True
    asked = {each.fiscal_year for each in analysis.periods}
    if len(asked) == _A_PAIR and STATES_A_CHANGE.match(text) and not all(str(year) in shown for year in asked):
        # Whether something improved is not told by one of the two years.
        return True
    return WHICH_ROW.search(text) is not None and len(analysis.companies_named) <= 1 and len(found.rows) < _FEWEST_ROWS
