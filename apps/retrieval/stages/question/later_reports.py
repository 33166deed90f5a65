"""Search a company's next report for a year that it has no report of: reports print earlier years, too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.retrieval.contracts import (
    CompanyPeriods,
    FilterField,
    InventoryEntry,
    MetadataFilter,
    Period,
)

_MOST_YEARS_LATER: Final = 4
"""A five-year summary is the longest that reports usually print."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaterReports:
    """The filters, and a sentence for each year that is looked for in a later report."""

    filters: tuple[MetadataFilter, ...]
    notices: tuple[str, ...]


def read_in_later_reports(filters: Sequence[MetadataFilter], entries: Sequence[InventoryEntry]) -> LaterReports:
    """Look for a year without a report of the company asked about in its next report.

    Args: filters: as read from the question, before any is relaxed. entries: what is held.
    """
    companies = {name for each in filters if each.field is FilterField.COMPANY for name in each.values}
    notices: list[str] = []
    changed = tuple(
        _with_later(each, companies, entries, notices)
        if each.field is FilterField.PERIOD and companies and not each.of_companies
        else each
        for each in filters
    )
    return LaterReports(filters=changed, notices=tuple(notices))


def _with_later(
    condition: MetadataFilter, companies: Collection[str], entries: Sequence[InventoryEntry], said: list[str]
) -> MetadataFilter:
    own: list[CompanyPeriods] = []
    so_far = len(said)
    for company in sorted(companies):
        held = {each.fiscal_year for each in entries if each.company == company and each.fiscal_quarter is None}
        periods: list[Period] = []
        for period in condition.periods:
            later = _report_of(period, {year for year in held if year is not None})
            periods.extend(dict.fromkeys((period, later)))
            if later is not period:
                said.append(f"No report of {company} for {period.label} is held; its report for {later.label} is read.")
        own.append(CompanyPeriods(company=company, periods=tuple(dict.fromkeys(periods))))
    return replace(condition, of_companies=tuple(own)) if len(said) > so_far else condition


def _report_of(period: Period, held: Collection[int]) -> Period:
    """Return the period of the report that gives a year: its own, or the next within four years."""
    if period.fiscal_quarter or period.fiscal_year in held:
        return period
    later = min((year for year in held if year > period.fiscal_year), default=None)
    if later is None or later - period.fiscal_year > _MOST_YEARS_LATER:
        return period
    return replace(period, fiscal_year=later)
