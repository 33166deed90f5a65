"""Tell a calculation that leaves out a part of what was asked: an average, a constant, one row of several."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.form_words import AVERAGE, COMPOUND, FACTOR, STATES_A_CHANGE, WHICH_ROW
from apps.retrieval.stages.figures.calculating.operands import Calculated

_SEVERAL_ADDED: Final = re.compile(r"\([^()]* \+ [^()]*\) / \d")
_FEWEST_ROWS: Final = 2
_A_PAIR: Final = 2


def lacks_what_is_calculated(quoted: str, analysis: QueryAnalysis) -> bool:
    """Return whether sentences can't be the answer: an average that none tells, or one company of several."""
    if analysis.wants_number and len(analysis.companies_named) > 1:
        return True
    return AVERAGE.search(COMPOUND.sub(" ", analysis.text)) is not None and AVERAGE.search(quoted) is None


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
