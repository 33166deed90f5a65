"""The filters that come with a question, as they are sealed with its run, and as the pipeline takes them."""

from __future__ import annotations

import re
from typing import Final

from apps.research.runs.contracts import GivenBounds
from apps.retrieval.contracts import DocumentId, GivenFilters, Period

_LABEL: Final = re.compile(r"(?:Q(\d) |FY)(\d{4})")


def given_bounds(given: GivenFilters) -> GivenBounds:
    return GivenBounds(
        documents=given.documents,
        companies=given.companies,
        periods=None if given.periods is None else tuple(each.label for each in given.periods),
        kinds=given.kinds,
    )


def given_filters(bounds: GivenBounds) -> GivenFilters:
    return GivenFilters(
        documents=None if bounds.documents is None else tuple(DocumentId(each) for each in bounds.documents),
        companies=bounds.companies,
        periods=None if bounds.periods is None else tuple(_period(each) for each in bounds.periods),
        kinds=bounds.kinds,
    )


def _period(label: str) -> Period:
    """Raises: ValueError: it is no label of a period."""
    found = _LABEL.fullmatch(label)
    if found is None:
        raise ValueError("no label of a period")
    quarter, year = found.groups()
    return Period(fiscal_year=int(year), fiscal_quarter=int(quarter or 0))
