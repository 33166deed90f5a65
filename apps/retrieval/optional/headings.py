"""Score the metadata of passages (title, headings, company, period, kind) against the terms of a question.

The score is BM25, as for the text, with the headings as a separate text: a term counts once for each field that holds
it. All passages under one heading have the same score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, log
from typing import Final

from apps.retrieval.contracts import WeightedTerm

_DIGITS: Final = 9
"""Scores are rounded as those of the text are, so that equal ones stay equal wherever they are computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """The metadata above a number of passages of one document. fields: the terms of each field."""

    fields: tuple[frozenset[str], ...]
    passages: int

    @property
    def length(self) -> int:
        return sum(map(len, self.fields))


def score_headings(
    headings: Sequence[Heading], wanted: Sequence[WeightedTerm], *, k1: float, b: float
) -> tuple[float, ...]:
    """Return the BM25 score of each heading. Every passage under a heading counts as one text.

    Args:    wanted: the question's terms, each once.
             k1: saturation of how many fields hold a term, >= 0.
             b: share of length normalisation, 0 to 1.
    Returns: one score per heading, in their order; 0 for one that holds no term.
    """
    counts = [Counter(term for field in heading.fields for term in field) for heading in headings]
    total = sum(heading.passages for heading in headings)
    written = sum(heading.passages * heading.length for heading in headings)
    if not written:
        return tuple(0.0 for _ in headings)
    mean_length = written / total
    weights: dict[str, float] = {}
    for each in wanted:
        held = sum(heading.passages for heading, count in zip(headings, counts, strict=True) if each.term in count)
        weights[each.term] = each.weight * log(1 + (total - held + 0.5) / (held + 0.5))
    scores = []
    for heading, count in zip(headings, counts, strict=True):
        damped = k1 * (1 - b + b * heading.length / mean_length)
        parts = (
            weight * count[term] * (k1 + 1) / (count[term] + damped)
            for term, weight in weights.items()
            if term in count
        )
        scores.append(round(fsum(parts), _DIGITS))
    return tuple(scores)
