"""The filter by period that a question's words are read as, and the words that name periods."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from apps.retrieval.contracts import Certainty, CompanyPeriods, FilterField, MetadataFilter, Period


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodReading:
    filters: tuple[MetadataFilter, ...]
    notices: tuple[str, ...]


def make_period_filter(
    periods: tuple[Period, ...],
    certainty: Certainty,
    reason: str,
    *,
    values: tuple[str, ...] = (),
    of_companies: tuple[CompanyPeriods, ...] = (),
) -> MetadataFilter:
    """Return a filter by period. Its values are the labels of the periods, unless `values` says it otherwise."""
    return MetadataFilter(
        field=FilterField.PERIOD,
        values=values or tuple(period.label for period in periods),
        certainty=certainty,
        reason=reason,
        periods=periods,
        of_companies=of_companies,
    )


def place_of(quarter: Period) -> int:
    """Return the number of a quarter, counted through all years."""
    return 4 * quarter.fiscal_year + quarter.fiscal_quarter - 1


def join_words(words: Iterable[str]) -> str:
    parts = list(words)
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
