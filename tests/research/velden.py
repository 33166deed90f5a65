"""What the invented reports of Velden Cranes and of a rival say, as facts in memory."""

from __future__ import annotations

from functools import cache
from uuid import UUID, uuid5

from apps.corpus.extraction.extract import extract
from apps.corpus.models import Document
from apps.filings.models import Fact
from apps.filings.reading.facts import read_facts
from apps.research.claims.contracts import Finding
from apps.research.claims.facts_held import HeldFacts
from tests.filings.reports import COMPANY, YEARS, Year, report_html
from tests.research.measuring import check, held_of
from tests.research.sample_facts import entries_of, make_fact

RIVAL = "Ostrel Hoists plc"


def facts_of(company: str, years: dict[int, Year], *reported: int) -> list[Fact]:
    """Return the facts of a company's reports."""
    found: list[Fact] = []
    for year in reported:
        content = report_html(year, years=years)
        document = Document(
            id=uuid5(UUID(int=9), f"{company}{year}"),
            title=f"{company} {year}",
            company=company,
            kind="run",
            fiscal_year=year,
        )
        extracted = extract(content, filename="report.html")
        read = read_facts(content, extracted, fiscal_year=year, fiscal_quarter=None, language="en")
        found.extend(make_fact(each, document, number) for number, each in enumerate(read, start=1))
    return found


@cache
def velden_facts() -> tuple[Fact, ...]:
    """Return three years of Velden, of which the report of 2024 restates 2023, and the same years of a rival."""
    rival = {year: _changed(each, revenue=each.revenue - 1000) for year, each in YEARS.items()}
    return (*facts_of(COMPANY, dict(YEARS), 2023, 2024), *facts_of(RIVAL, rival, 2023, 2024))


def checked(text: str, facts: tuple[Fact, ...] | None = None, company: str = "") -> list[Finding]:
    """Return what becomes of each claim of a text over these facts."""
    held = velden_facts() if facts is None else facts
    return check(text, HeldFacts(held), held_of(held, entries_of(held)), company=company)


def _changed(year: Year, **other: int) -> Year:
    return Year(**{**{name: getattr(year, name) for name in Year.__slots__}, **other})
