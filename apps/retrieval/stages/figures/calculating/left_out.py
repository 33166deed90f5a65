"""Tell a calculation that leaves out a part of what was asked: an average, a constant, one row of several."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.calculating.form_words import AVERAGE, COMPOUND, FACTOR, WHICH_ROW
from apps.retrieval.stages.figures.calculating.operands import Calculated

_SEVERAL_ADDED: Final = re.compile(r"\([^()]* \+ [^()]*\) / \d")
_FEWEST_ROWS: Final = 2


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
    return WHICH_ROW.search(text) is not None and len(analysis.companies_named) <= 1 and len(found.rows) < _FEWEST_ROWS
