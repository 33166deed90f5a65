"""Convert filters that came with a question to their form in the log and back, so that a replay can use them."""

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
    """Recorded filters in the form that a question takes."""

    given: GivenFilters = NO_FILTERS
    as_of: datetime | None = None


NONE_RECORDED: Final = RecordedFilters()


def filters_recorded(given: Iterable[GivenFilter]) -> Json:
    """Return the filters as the log keeps them, by field.

    Of companies, only names that the corpus holds are kept. A name that a client typed and that no document states is
    not kept; it finds nothing anyway.
    """
    return {
        each.field.value: [_written(period) for period in each.periods]
        if each.field is GivenField.PERIOD
        else list(each.values)
        for each in given
    }


def filters_read(recorded: Mapping[str, Any]) -> RecordedFilters:
    """Return the filters of a recorded question; no filters if it had none."""
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
    """Return the period as text, such as 2024 or 2024-Q4."""
    return f"{period.fiscal_year}-Q{period.fiscal_quarter}" if period.fiscal_quarter else str(period.fiscal_year)


def _period(written: str) -> Period:
    year, _, quarter = written.partition("-Q")
    return Period(fiscal_year=int(year), fiscal_quarter=int(quarter or 0))
