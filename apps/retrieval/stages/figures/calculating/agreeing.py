"""Rows that give the same figures in two scales: in thousands in a statement, in millions in the text above it."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from apps.retrieval.stages.figures.calculating.series import Series
from apps.retrieval.stages.figures.in_passages import Figure


def in_finest_scale(rows: Sequence[Series]) -> list[Series]:
    """Return the rows without those that give the same figures of the same years rounded to a larger scale."""
    return [each for each in rows if not any(_says_it_finer(other, each) for other in rows)]


def _says_it_finer(one: Series, other: Series) -> bool:
    common = one.by_year.keys() & other.by_year.keys()
    return (
        bool(common)
        and one.unit is other.unit
        and one.passage.chunk.document.company == other.passage.chunk.document.company
        and all(_rounds_to(one.by_year[year], other.by_year[year]) for year in common)
    )


def _rounds_to(fine: Figure, coarse: Figure) -> bool:
    """Return whether a figure, rounded to the places of the other, is the other."""
    if fine.stated.exponent is None or coarse.stated.exponent is None:
        return False
    step_of_fine, step_of_coarse = (each.stated.exponent - each.number.decimals for each in (fine, coarse))
    value, rounded = (each.number.value.scaleb(each.stated.exponent or 0) for each in (fine, coarse))
    apart = Decimal(1).scaleb(step_of_coarse)
    return (
        fine.number.negative is coarse.number.negative
        and step_of_fine < step_of_coarse
        and 2 * abs(value - rounded) <= apart
    )
