"""Read facts: those in force, and series of one concept over periods."""

from apps.filings.selectors.facts import companies_named, companies_with_facts, current_facts, facts_of_document
from apps.filings.selectors.series import Point, Series, SeriesKey, company_series, read_series

__all__ = [
    "Point",
    "Series",
    "SeriesKey",
    "companies_named",
    "companies_with_facts",
    "company_series",
    "current_facts",
    "facts_of_document",
    "read_series",
]
