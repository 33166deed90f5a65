"""Whether a piece can be the answer at all: it names the figure, gives one, and is of the period asked for."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import InventoryEntry
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.figures.answerable import Lack, lack_of
from apps.retrieval.stages.grounding.subject import unknown_names, unknown_periods
from apps.retrieval.stages.ranking.quotable import quotable_pieces
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

HELD = entry("Northwind", 2018)


def lack(question: str, text: str, *, fiscal_year: int | None = 2018, quarter: int | None = None) -> Lack | None:
    """What the last piece of a text lacks."""
    analysis = analysed(question, HELD)
    facts = document(1, title="Northwind report", fiscal_year=fiscal_year, fiscal_quarter=quarter)
    (passage,) = context_of(analysis, [candidate(text, facts=facts)]).passages
    *_, piece = quotable_pieces(passage)
    return lack_of(piece, passage, analysis)


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What was the net income in FY2018?", "Net income | 2018: 5 | 2017: 4", None),
        ("What was the net income in FY2017?", "Net income | 2018: 5 | 2017: 4", None),
        ("What was the net income in FY2011?", "Net income | 2018: 5 | 2017: 4", Lack.PERIOD),
        ("What was the net income in FY2018?", "Other expense (income), net | 2018: 5 | 2017: 4", Lack.FIGURE),
        ("What were total current assets in FY2018?", "Other current assets | 2018: 5 | 2017: 4", Lack.FIGURE),
        ("What was the deferred revenue in FY2018?", "Deferred revenue is a source of cash flow.", Lack.NUMBER),
        ("What was the net income in FY2018?", "Net income rose by 3% in the year.", Lack.NUMBER),
        ("How much did net income grow in FY2018?", "Net income rose by 3% in the year.", None),
        ("What was the long-term debt in FY2018?", "The loss on long-term debt was $140 million.", Lack.NUMBER),
        ("What was the revenue in FY2018?", "Revenue is recognised under Topic 606 from May 1, 2018.", Lack.NUMBER),
        ("What was the gross profit in FY2018?", "Gross profit | Q1 2018: 5 | Q2 2018: 6", Lack.PERIOD),
        ("What was the net income in FY2018?", "Net income | 66 | 51 | 40 | 27", Lack.PERIOD),
        ("What was the income tax expense in FY2018?", "Income before income taxes | 2018: 5 | 2017: 4", Lack.FIGURE),
        ("What was the income tax expense in FY2018?", "Income taxes | 2018: 5 | 2017: 4", None),
        ("What was the revenue in FY2018?", "As noted before, revenue was $5 million.", None),
        ("What was the goodwill in FY2018?", "Assets excluding goodwill were $5 million.", Lack.FIGURE),
        ("What was the revenue in FY2018?", "As a percentage of revenues | 2018: 7% | 2017: 7%", Lack.FIGURE),
        ("What percentage of revenue was rent in FY2018?", "Rent, percentage of revenues | 2018: 7% | 2017: 7%", None),
        ("What was the inventory in FY2018?", "Inventories fell, and our cash grew to $5 million.", Lack.NUMBER),
        ("What was the inventory in FY2018?", "Inventories, raw and finished, stood at $5 million.", None),
        ("What was the inventory in FY2018?", "As of May 31, 2016, inventories were $5 million.", Lack.PERIOD),
        ("What was the inventory in FY2018?", "As of May 31, 2016 and 2018, inventories were $5 and $6 million.", None),
        ("What was the inventory in FY2018?", "As of February 2, 2019, inventories were $5 million.", None),
        ("How many incidents were there in FY2018?", "It logged one incident.", None),
        ("How many incidents were there in FY2018?", "Incidents are logged.", Lack.NUMBER),
    ],
)
def test_what_a_piece_lacks(question: str, text: str, expected: Lack | None) -> None:
    assert lack(question, text) is expected


def test_a_document_without_a_period_holds_for_any_but_gives_no_figure_of_one() -> None:
    assert lack("Which drawdown limit holds in FY2011?", "The drawdown limit is 20 %.", fiscal_year=None) is None
    assert (
        lack("What was the drawdown in FY2011?", "A drawdown is over after 20 days.", fiscal_year=None) is Lack.PERIOD
    )


def test_the_year_beside_another_in_a_quarter_s_report_is_of_the_same_quarter() -> None:
    row = "Drawdown | 2018: 5 | 2017: 4"
    assert lack("What was the drawdown in Q4 2017?", row, quarter=4) is None
    assert lack("What was the drawdown in Q3 2017?", row, quarter=4) is Lack.PERIOD


@pytest.mark.parametrize(
    ("company", "year", "quarter", "text", "expected"),
    [
        ("Alpha", 2024, 4, "Drawdown | 5", None),
        ("Beta", 2024, 2, "Drawdown | 5", None),
        ("Alpha", 2024, 2, "Drawdown | 5", Lack.PERIOD),
        ("Beta", 2024, 4, "Drawdown | 5", Lack.PERIOD),
        ("Gamma", 2024, 4, "Drawdown | 5", Lack.PERIOD),
        ("Alpha", None, None, "In Q4 2024 the drawdown was 5%.", None),
        ("Alpha", None, None, "In Q2 2024 the drawdown was 5%.", Lack.PERIOD),
        ("Gamma", None, None, "In Q2 2024 the drawdown was 5%.", None),
        ("", None, None, "In Q3 2024 the drawdown was 5%.", Lack.PERIOD),
    ],
)
def test_a_piece_is_of_the_last_quarter_of_its_own_company(
    company: str, year: int | None, quarter: int | None, text: str, expected: Lack | None
) -> None:
    analysis = analysed("What was the drawdown of last quarter?", entry("Alpha", 2024, 4), entry("Beta", 2024, 2))
    facts = document(1, title="A report", company=company, fiscal_year=year, fiscal_quarter=quarter)
    (passage,) = context_of(analysis, [candidate(text, facts=facts)]).passages
    *_, piece = quotable_pieces(passage)
    assert lack_of(piece, passage, analysis) is expected


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("What was 3M's revenue in FY2018?", ("3M",)),
        ("What was the net income of AMD in FY2018?", ("AMD",)),
        ("What was the EBITDA margin and the EPS?", ()),
        ("For how much was The Mirage sold by them?", ("The Mirage",)),
        ("WHAT WAS THE NAV OF XYZ?", ()),
    ],
)
def test_names_of_one_word_and_abbreviations_are_read_too(question: str, names: tuple[str, ...]) -> None:
    assert analysed(question).names == names


@pytest.mark.parametrize(
    ("question", "text", "unknown"),
    [
        ("What was 3M's revenue?", "Revenue was 5.", ("3M",)),
        ("What was 3M's revenue?", "3M had revenue of 5.", ()),
        ("What is the revenue of Block Mills?", "A block of mills had revenue of 5.", ("Block Mills",)),
        ("What does the CDD process ask for?", "The customer due diligence process asks for a passport.", ()),
        ("What does the CDD process ask for?", "The process asks for a passport.", ("CDD",)),
    ],
)
def test_a_name_must_stand_in_a_passage(question: str, text: str, unknown: tuple[str, ...]) -> None:
    analysis = analysed(question)
    assert unknown_names(analysis, context_of(analysis, [candidate(text)])) == unknown


@pytest.mark.parametrize(
    ("question", "held", "said"),
    [
        ("What was Northwind's revenue in FY2011?", HELD, "FY2011"),
    ],
)
def test_the_closest_passages_tell_what_is_not_in_them(question: str, held: InventoryEntry, said: str) -> None:
    analysis = analysed(question, held)
    context = context_of(analysis, [candidate("Revenue | 2018: 5 | 2017: 4")])
    answer = ExtractiveGenerator().generate(analysis, context)
    assert answer.closest
    assert said in answer.missing
    assert f"They do not give {said}" in answer.text


def test_periods_that_nothing_is_of_are_known_before_anything_is_written() -> None:
    analysis = analysed("What was Northwind's revenue in FY2011?", HELD)
    context = context_of(analysis, [candidate("Revenue | 2018: 5 | 2017: 4")])
    assert [period.label for period in unknown_periods(analysis, context)] == ["FY2011"]
