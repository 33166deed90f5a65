"""Which figures are given in per cent, although a question does not say so."""

from __future__ import annotations

import re
from typing import Final

from apps.filings.vocabulary.concepts import find_in_text
from apps.retrieval.contracts import QueryAnalysis

_SHARE: Final = re.compile(
    r"\b(?:margins?|ratios?|rates?|yields?|returns?|shares?|percentages?|proportion|portion|growth|coverage|turnover"
    r"|\w*marge|\w*quote|\w*rate|\w*rendite|\w*anteil|(?:steuer|zins|prozent)\w*satz|\w*wachstum)\b|%",
    re.IGNORECASE,
)


def is_given_in_percent(analysis: QueryAnalysis) -> bool:
    """Return whether a question names a share, a rate or a margin."""
    concepts = (found.concept.name for found in find_in_text(analysis.text))
    return (
        _SHARE.search("\n".join((analysis.text, *concepts, *(each.label for each in analysis.expansions)))) is not None
    )


def names_an_amount(analysis: QueryAnalysis) -> bool:
    """Return whether a question names figures that are amounts or numbers, and none in per cent."""
    return bool(find_in_text(analysis.text)) and not is_given_in_percent(analysis)
