"""Figures of passages are placed by the facts of their document, where the passage does not say their period itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from apps.retrieval.contracts import Candidate, FactCell
from apps.retrieval.generation.extractive import ExtractiveGenerator
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

# Neither passage says how long its periods are: the heading stands on the page, above the part that the passage holds.
YEARS = """\
Cash flows
Net cash provided by operating activities | 2024: 90 | 2023: 84
Dividends paid | 2024: (30) | 2023: (28)
Financial position
Total assets | December 31, 2024: 400 | December 31, 2023: 380"""
QUARTERS = """\
Cash flows
Net cash used for operating activities | 3/25/2025: 12 | 3/19/2024: 7
Dividends paid | 3/25/2025: (9) | 3/19/2024: (8)
Financial position
Total assets | March 25, 2025: 410 | December 31, 2024: 400"""
CONCEPTS = {
    "Net cash": "operating cash flow",
    "Dividends": "dividends",
    "Total assets": "total assets",
}


def facts_of(text: str, periods: dict[str, tuple[int, int, int, date]], **stated: object) -> tuple[FactCell, ...]:
    """Return the cells of a passage as facts. Args: periods: column -> year, quarter, months and last day."""
    cells = []
    at = 0
    for line in text.split("\n"):
        label = line.partition(" | ")[0]
        concept = next((name for start, name in CONCEPTS.items() if label.startswith(start)), "")
        for column, (year, quarter, months, day) in periods.items():
            if f"{column}: " in line and bool(months) is not label.startswith("Total assets"):
                start = at + line.index(f"{column}: ") + len(column) + 2
                figure = line[start - at :].partition(" |")[0]
                cells.append(
                    FactCell(
                        start=start,
                        end=start + len(figure),
                        concept=concept,
                        fiscal_year=year,
                        fiscal_quarter=quarter,
                        months=months,
                        ends_on=day,
                        **stated,
                    )
                )
        at += len(line) + 1
    return tuple(cells)


_YEARS = {
    "2024": (2024, 0, 12, date(2024, 12, 31)),
    "2023": (2023, 0, 12, date(2023, 12, 31)),
    "December 31, 2024": (2024, 0, 0, date(2024, 12, 31)),
    "December 31, 2023": (2023, 0, 0, date(2023, 12, 31)),
}
_QUARTERS = {
    "3/25/2025": (2025, 1, 3, date(2025, 3, 25)),
    "3/19/2024": (2024, 1, 3, date(2024, 3, 19)),
    "March 25, 2025": (2025, 1, 0, date(2025, 3, 25)),
    "December 31, 2024": (2024, 0, 0, date(2024, 12, 31)),
}


def passages(*, with_facts: bool) -> list[Candidate]:
    annual = document(1, title="Cobbleton annual report 2024", company="Cobbleton", fiscal_year=2024)
    quarterly = document(2, title="Cobbleton results 2025", company="Cobbleton", fiscal_year=2025, fiscal_quarter=1)
    found = [candidate(QUARTERS, 2, facts=quarterly), candidate(YEARS, 1, facts=annual)]
    if not with_facts:
        return found
    facts = [facts_of(QUARTERS, _QUARTERS, exponent=6, currency="USD"), facts_of(YEARS, _YEARS, exponent=6)]
    return [replace(each, chunk=replace(each.chunk, facts=cells)) for each, cells in zip(found, facts, strict=True)]


def answered(question: str, *, with_facts: bool = True) -> str:
    analysis = analysed(question, entry("Cobbleton", 2024), entry("Cobbleton", 2025, 1))
    draft = ExtractiveGenerator().generate(analysis, context_of(analysis, passages(with_facts=with_facts)))
    return "" if draft.closest else draft.text


@pytest.mark.parametrize(
    ("question", "said", "not_said"),
    [
        ("Did Cobbleton's operating cash flow cover its dividends paid in 2024?", "Yes", ": 7"),
        ("What was Cobbleton's operating cash flow in 2024?", "2024: 90", "3/19/2024"),
        ("By how much did Cobbleton's operating cash flow rise from 2023 to 2024?", "90 - 84 = 6", "7 -"),
        ("By how much did Cobbleton's operating cash flow rise in Q1 2025?", "12 - 7 = 5", "84"),
        (
            "What were Cobbleton's total assets at March 25, 2025, in billions of dollars?",
            "410 million = 0.410",
            "400 m",
        ),
    ],
)
def test_figures_are_of_the_period_that_their_facts_have(question: str, said: str, not_said: str) -> None:
    text = answered(question)
    assert said in text
    assert not_said not in text.split(f"{said}")[0]


def test_without_facts_the_columns_of_a_quarter_pass_for_years() -> None:
    # The control: nothing in the passage says that its columns are of quarters.
    assert "90 - 84" not in answered(
        "By how much did Cobbleton's operating cash flow rise from 2023 to 2024?", with_facts=False
    )


def test_a_row_is_known_by_the_concept_of_its_facts() -> None:
    text = "Per share\n  Diluted | 2024: 1.20 | 2023: 1.10"
    company = document(1, title="Cobbleton annual report 2024", company="Cobbleton", fiscal_year=2024)
    found = candidate(text, 1, facts=company)
    cells = tuple(
        FactCell(
            start=text.index(figure),
            end=text.index(figure) + 4,
            concept="diluted earnings per share",
            fiscal_year=year,
            fiscal_quarter=0,
            months=12,
        )
        for figure, year in (("1.20", 2024), ("1.10", 2023))
    )
    question = "By how much did Cobbleton's diluted earnings per share rise from 2023 to 2024?"
    analysis = analysed(question, entry("Cobbleton", 2024))
    with_facts = replace(found, chunk=replace(found.chunk, facts=cells))
    assert "1.20 - 1.10 = 0.10" in ExtractiveGenerator().generate(analysis, context_of(analysis, [with_facts])).text
    # The control: the row's own name says less.
    assert "1.20 - 1.10" not in ExtractiveGenerator().generate(analysis, context_of(analysis, [found])).text


def test_a_year_in_a_report_of_the_fourth_quarter_is_the_year() -> None:
    text = "Key figures\nCapital expenditure | 2024: 1,204 | 2023: 1,467"
    release = document(1, title="Cobbleton Q4 2024", company="Cobbleton", fiscal_year=2024, fiscal_quarter=4)
    found = candidate(text, 1, facts=release)
    cells = tuple(
        FactCell(
            start=text.index(figure),
            end=text.index(figure) + 5,
            concept="capital expenditure",
            fiscal_year=year,
            fiscal_quarter=4,
            months=3,
        )
        for figure, year in (("1,204", 2024), ("1,467", 2023))
    )
    question = "By how much did Cobbleton's capital expenditure fall from 2023 to 2024?"
    analysis = analysed(question, entry("Cobbleton", 2024, 4))
    with_facts = replace(found, chunk=replace(found.chunk, facts=cells))
    assert "1,204 - 1,467" in ExtractiveGenerator().generate(analysis, context_of(analysis, [with_facts])).text
