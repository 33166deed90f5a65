"""Remove sure filters that would leave no document, and say so.

This is done against the inventory, before any search, so that a question never returns nothing because of a filter that
the reader did not see.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from apps.corpus.kinds import DocumentType
from apps.retrieval.contracts import (
    Certainty,
    DocumentFacts,
    DocumentFilter,
    FilterField,
    InventoryEntry,
    MetadataFilter,
    Period,
    RelaxedFilter,
    ReportSeries,
)

# The company is relaxed last: a figure of another company is the worst answer.
_RELAXING_ORDER = (FilterField.JURISDICTION, FilterField.DOCUMENT_TYPE, FilterField.PERIOD, FilterField.COMPANY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelaxedFilters:
    kept: tuple[MetadataFilter, ...]
    relaxed: tuple[RelaxedFilter, ...]


def relax_filters(filters: Sequence[MetadataFilter], entries: Sequence[InventoryEntry]) -> RelaxedFilters:
    """Drop sure filters, one field at a time, until at least one document held meets the rest.

    Args:    filters: all filters read; likely ones are kept as they are.
             entries: what is held.
    Returns: the filters that are kept, and those removed, with the reason. A document that does not state a fact does
             not count as meeting the filter here; otherwise no filter would ever fail.
    """
    kept = list(filters)
    relaxed: list[RelaxedFilter] = []
    for field in _RELAXING_ORDER:
        sure = [each for each in kept if each.certainty is Certainty.SURE]
        if not sure or any(all(states(entry, each) for each in sure) for entry in entries):
            break
        for each in sure:
            if each.field is field:
                others = [other for other in sure if other is not each]
                unmet = f"{_describe_condition(each)}{_together_with(others)}"
                reason = f"No document held {unmet}; the search continues without it."
                kept.remove(each)
                relaxed.append(RelaxedFilter(filter=each, reason=reason))
    return RelaxedFilters(kept=tuple(kept), relaxed=tuple(relaxed))


def states(entry: InventoryEntry | DocumentFacts, condition: MetadataFilter) -> bool:
    """Return whether a document, or the documents of an entry, state that they meet the condition."""
    match condition.field:
        case FilterField.COMPANY:
            return entry.company in condition.values
        case FilterField.DOCUMENT_TYPE:
            return entry.document_type in condition.values
        case FilterField.PERIOD:
            periods = condition.periods_of(entry.company)
            return any(period_matches(period, entry.fiscal_year, entry.fiscal_quarter) for period in periods)
        case FilterField.JURISDICTION:
            return not set(condition.values).isdisjoint(entry.jurisdictions)
        case FilterField.NEWEST_REPORT:
            return not is_outdated(entry, condition.series)


def admits(entry: InventoryEntry | DocumentFacts, condition: MetadataFilter) -> bool:
    """Return whether a search under this condition keeps the documents: they meet it, or state nothing of the kind."""
    match condition.field:
        case FilterField.COMPANY:
            silent = not entry.company
        case FilterField.DOCUMENT_TYPE:
            silent = entry.document_type == DocumentType.OTHER.value
        case FilterField.PERIOD:
            silent = entry.fiscal_year is None
        case FilterField.JURISDICTION:
            silent = not entry.jurisdictions
        case FilterField.NEWEST_REPORT:
            silent = False
    return silent or states(entry, condition)


def period_matches(period: Period, fiscal_year: int | None, fiscal_quarter: int | None) -> bool:
    """Return whether a document of this year and quarter belongs to the period.

    A year holds all of its quarters; a document of a whole year belongs to each of its quarters.
    """
    if fiscal_year != period.fiscal_year:
        return False
    return period.fiscal_quarter == 0 or fiscal_quarter is None or fiscal_quarter == period.fiscal_quarter


def is_outdated(entry: InventoryEntry | DocumentFacts, series: Iterable[ReportSeries]) -> bool:
    """Return whether the entry belongs to one of the series, but not to the newest period of that series."""
    return any(
        (each.company, each.kind, each.document_type) == (entry.company, entry.kind, entry.document_type)
        and entry.fiscal_year is not None
        and (each.newest.fiscal_quarter == 0) is (entry.fiscal_quarter is None)
        and (each.newest.fiscal_year, each.newest.fiscal_quarter) != (entry.fiscal_year, entry.fiscal_quarter or 0)
        for each in series
    )


def document_filter(filters: Iterable[MetadataFilter]) -> DocumentFilter:
    """Return the sure filters in the form that the retrievers take."""
    sure = [each for each in filters if each.certainty is Certainty.SURE]
    return DocumentFilter(
        companies=tuple(v for each in sure if each.field is FilterField.COMPANY for v in each.values),
        periods=tuple(dict.fromkeys(period for each in sure for period in _periods_of_documents(each))),
        of_companies=tuple(own for each in sure for own in each.of_companies),
        document_types=tuple(v for each in sure if each.field is FilterField.DOCUMENT_TYPE for v in each.values),
        jurisdictions=tuple(v for each in sure if each.field is FilterField.JURISDICTION for v in each.values),
    )


def _periods_of_documents(condition: MetadataFilter) -> Iterator[Period]:
    """Yield the periods of the documents that are searched, where companies have periods of their own."""
    if not condition.of_companies:
        yield from condition.periods
    for own in condition.of_companies:
        yield from own.periods


def _describe_condition(condition: MetadataFilter) -> str:
    return f"has {condition.field.value.replace('_', ' ')} {' or '.join(condition.values)}"


def _together_with(others: Sequence[MetadataFilter]) -> str:
    return " together with " + ", ".join(" or ".join(each.values) for each in others) if others else ""
