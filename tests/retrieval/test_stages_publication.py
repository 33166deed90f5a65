"""The period of what was published when the question says; and dates that say nothing of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from apps.retrieval.contracts import Certainty, InventoryEntry
from apps.retrieval.stages.question.publication import read_publication
from tests.retrieval.builders import analysed, entry


def published(
    year: int, month: int, day: int, *, fiscal_year: int | None, quarter: int | None = None
) -> InventoryEntry:
    when = date(year, month, day)
    return replace(entry("Northwind", fiscal_year, quarter), published_first=when, published_last=when)


HELD = (
    published(2024, 2, 20, fiscal_year=2023),
    published(2024, 10, 17, fiscal_year=2024, quarter=3),
    published(2025, 2, 19, fiscal_year=2024),
    published(2023, 8, 21, fiscal_year=None),
    entry("Northwind", 2022),
)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("What does the annual report that appeared in February 2024 say about magnets?", "FY2023"),
        ("What did they say about magnets in the report that they published in February 2024?", "FY2023"),
        ("Which value at risk did the report of 17 October 2024 show?", "Q3 2024"),
        ("Which value at risk stands in the report published on October 17, 2024?", "Q3 2024"),
        ("Which drawdown did the fund report in February 2025?", "FY2024"),
        ("Welche Prognose stand in dem Bericht, der im Februar 2024 erschien?", "FY2023"),
        ("Welchen Wert zeigte der Quartalsbericht vom 17. Oktober 2024?", "Q3 2024"),
    ],
)
def test_a_date_of_publication_is_the_period_of_what_was_published_then(text: str, label: str) -> None:
    found = read_publication(text, HELD)
    assert found.filter is not None
    assert (found.filter.values, found.filter.certainty) == ((label,), Certainty.SURE)
    assert len(found.rest) == len(text)
    assert "202" not in found.rest


@pytest.mark.parametrize(
    "text",
    [
        "To what amount were the inventories reported at October 17, 2024?",
        "How many people were employed at the end of February 2024, as reported?",
        "What was sold in February 2024?",
        "What did the report of October 2023 say?",
        "What did they announce in August 2023?",
        "Which value did the report of 31 February 2024 show?",
        "What did they report in 2024?",
    ],
)
def test_other_dates_and_those_of_which_no_period_is_known_are_left_alone(text: str) -> None:
    found = read_publication(text, HELD)
    assert (found.filter, found.rest) == (None, text)


def test_all_that_was_published_in_a_month_counts() -> None:
    release = published(2024, 2, 14, fiscal_year=2023, quarter=4)
    found = read_publication("What guidance did they give in February 2024?", (*HELD, release))
    assert found.filter is not None
    assert found.filter.values == ("FY2023", "Q4 2023")


def test_a_report_and_its_amendment_count_on_their_own_days_and_not_between_them() -> None:
    both = replace(HELD[0], published_last=date(2024, 4, 2), documents=2)
    for month, labels in (("February", ("FY2023",)), ("March", ()), ("April", ("FY2023",))):
        found = read_publication(f"What did they announce in {month} 2024?", [both])
        assert (found.filter.values if found.filter else ()) == labels


def test_the_year_of_publication_is_no_fiscal_year_to_the_search() -> None:
    analysis = analysed("What did Northwind say about magnets in the report published in February 2024?", *HELD)
    assert [each.values for each in analysis.filters] == [("Northwind",), ("FY2023",)]
    assert analysis.years == (2023,)
    assert any("“in February 2024” is when" in notice for notice in analysis.notices)


def test_a_period_that_is_spelled_out_goes_before_the_date() -> None:
    analysis = analysed("What did the FY2022 report of Northwind, published in February 2024, say of magnets?", *HELD)
    assert [each.values for each in analysis.filters] == [("Northwind",), ("FY2022",)]


def test_it_is_said_of_the_named_company_alone() -> None:
    other = replace(HELD[0], company="Contoso", fiscal_year=2024)
    analysis = analysed("Which magnets did Northwind report in February 2024?", *HELD, other)
    assert ("FY2023",) in [each.values for each in analysis.filters]
