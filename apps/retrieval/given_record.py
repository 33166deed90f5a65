"""Filters that came with a question, as the log keeps them: for a question that is run again with the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from apps.retrieval.contracts import NO_FILTERS, DocumentId, GivenField, GivenFilter, GivenFilters, Period

Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedFilters:
    """As a question takes them."""

    given: GivenFilters = NO_FILTERS
    as_of: datetime | None = None


NONE_RECORDED: Final = RecordedFilters()


def filters_recorded(given: Iterable[GivenFilter]) -> Json:
    """By field. Of companies those that are held: a name that a client typed and nothing bears is not kept, and finds
    nothing anyway.
    """
    return {
        each.field.value: [_written(period) for period in each.periods]
        if each.field is GivenField.PERIOD
        else list(each.values)
        for each in given
    }


def filters_read(recorded: Mapping[str, Any]) -> RecordedFilters:
    """The filters of a recorded question; none where it had none."""
    documents, companies = recorded.get(GivenField.DOCUMENT), recorded.get(GivenField.COMPANY)
    periods, kinds = recorded.get(GivenField.PERIOD), recorded.get(GivenField.KIND)
    instants = recorded.get(GivenField.AS_OF)
    return RecordedFilters(
        given=GivenFilters(
            documents=None if documents is None else tuple(DocumentId(UUID(each)) for each in documents),
            companies=None if companies is None else tuple(companies),
            periods=None if periods is None else tuple(_period(each) for each in periods),
            kinds=None if kinds is None else tuple(kinds),
        ),
        as_of=datetime.fromisoformat(instants[0]) if instants else None,
    )


def _written(period: Period) -> str:
    """2024, or 2024-Q4."""
    return f"{period.fiscal_year}-Q{period.fiscal_quarter}" if period.fiscal_quarter else str(period.fiscal_year)


def _period(written: str) -> Period:
    year, _, quarter = written.partition("-Q")
    return Period(fiscal_year=int(year), fiscal_quarter=int(quarter or 0))
