from __future__ import annotations

from dataclasses import replace

import pytest

from apps.corpus.extraction.statements import Statement
from apps.filings.vocabulary.concepts import concepts
from apps.retrieval.contracts import Candidate, FoundLine
from apps.retrieval.stages.figures.formulas import lines_of
from apps.retrieval.stages.figures.line_items import ITEMS, PARTS, find_asked_items
from apps.retrieval.stages.figures.lines import add_lines, find_lines, row_label
from apps.retrieval.stages.figures.measure_table import MEASURES
from apps.retrieval.stages.question.glossary import GLOSSARY
from tests.retrieval.builders import CASH_FLOWS, analysed, candidate, document, entry

CASH = Statement.CASH_FLOW_STATEMENT
BALANCE = Statement.BALANCE_SHEET
INCOME = Statement.INCOME_STATEMENT


def printed(text: str, statement: Statement, number: int = 1, *, page: int = 60, language: str = "en") -> Candidate:
    made = candidate(text, number, page=page)
    return replace(made, chunk=replace(made.chunk, statements=(statement,), language=language))


def rows_of(item: str, *passages: Candidate) -> list[str]:
    chunks = [passage.chunk for passage in passages]
    lines = find_lines(chunks, [ITEMS[item]])
    return [chunk.text[line.start : line.end] for chunk in chunks for line in lines.get(str(chunk.chunk_id), ())]


def test_every_line_and_every_measure_is_one_that_the_glossary_calls_up() -> None:
    labels = {each.label for each in GLOSSARY}
    assert labels >= PARTS.keys()
    # What is no line of the statements is looked for among the facts, by its concept.
    assert ITEMS.keys() | concepts().keys() >= {part for parts in PARTS.values() for part in parts}
    worked_from = {part for part in ITEMS if part not in labels}
    assert worked_from <= {part for parts in PARTS.values() for part in parts}


def test_every_measure_is_worked_out_from_the_lines_that_are_read_for_it() -> None:
    for label, measures in MEASURES.items():
        for measure in measures:
            assert {line.name for line in lines_of(measure.formula)} <= set(PARTS[label]), label


@pytest.mark.parametrize(
    ("question", "items"),
    [
        ("What is the FY2018 capex of Northwind?", ["capital expenditure"]),
        (
            "Has Northwind's quick ratio improved between FY2022 and FY2023?",
            ["current assets", "inventory", "current liabilities"],
        ),
        ("Wie hoch waren die Umsatzerlöse?", ["revenue"]),
        ("What drove the change of the operating margin?", []),
        ("Why did net income fall?", []),
        (
            "Is the gross margin improving? If it is no useful metric, explain why.",
            ["gross profit", "revenue", "cost of goods sold"],
        ),
        ("Who audits Northwind?", []),
    ],
)
def test_the_lines_that_a_question_asks_for(question: str, items: list[str]) -> None:
    assert [item.name for item in find_asked_items(analysed(question, entry("Northwind", 2018)))] == items


@pytest.mark.parametrize(
    ("item", "row"),
    [
        ("capital expenditure", "Purchases of property, plant and equipment (PP&E) | 2018: (1,577) | 2017: (1,373)"),
        ("capital expenditure", "Property, plant and equipment additions | 2018: (1,722)"),
        ("capital expenditure", "Capital expenditures, net of construction payables | 2018: (270,579)"),
        ("capital expenditure", "Capital spending | 2018: (4,625)"),
        ("depreciation and amortisation", "Depreciation and amortization of property, equipment and intangibles 62 54"),
        ("dividends", "Dividends paid to shareholders | 2018: (389)"),
        ("operating cash flow", "Net cash provided by (used in) operating activities | 2018: 1,426"),
    ],
)
def test_a_line_goes_by_many_names(item: str, row: str) -> None:
    assert rows_of(item, printed(f"Consolidated Statements of Cash Flows\n{row}", CASH)) == [row]


@pytest.mark.parametrize(
    ("item", "statement", "row"),
    [
        ("capital expenditure", CASH, "Proceeds from sale of property, plant and equipment | 2018: 262"),
        ("revenue", INCOME, "Cost of sales | 2018: 5,000"),
        ("net income", INCOME, "Net income attributable to noncontrolling interests | 2018: 12"),
        ("income tax", BALANCE, "Deferred income taxes | 2018: 12"),
        ("inventory", BALANCE, "Changes in inventories of finished goods | 2018: 12"),
        ("goodwill", BALANCE, "Goodwill and other intangible assets of the segment | 2018: 12"),
        ("property, plant and equipment", BALANCE, "Gross property, plant and equipment | 2018: 31,213"),
        ("total assets", BALANCE, "Total assets"),
    ],
)
def test_what_only_sounds_like_a_line_is_none(item: str, statement: Statement, row: str) -> None:
    assert rows_of(item, printed(f"A statement\n{row}", statement)) == []


def test_of_two_rows_the_one_that_says_net_or_total_is_read() -> None:
    balance = printed("Property and equipment | 2018: 24,873\nProperty and equipment, net | 2018: 8,738", BALANCE)
    assert rows_of("property, plant and equipment", balance) == ["Property and equipment, net | 2018: 8,738"]


def test_the_plainest_row_wins_over_one_that_says_more() -> None:
    income = printed("Net income including noncontrolling interest | 2018: 5\nNet income | 2018: 4", INCOME)
    assert rows_of("net income", income) == ["Net income | 2018: 4"]


def test_a_line_is_read_from_its_own_statement_alone() -> None:
    assert rows_of("inventory", printed("Inventories | 2018: (120)", CASH)) == []
    assert rows_of("inventory", printed("Inventories | 2018: 4,366", BALANCE)) == ["Inventories | 2018: 4,366"]
    assert rows_of("inventory", candidate("Inventories | 2018: 4,366")) == []


def test_german_statements_are_read_as_well() -> None:
    balance = printed("Bilanz\nVorräte | 2023: 1.204 | 2022: 1.102", BALANCE, language="de")
    assert rows_of("inventory", balance) == ["Vorräte | 2023: 1.204 | 2022: 1.102"]


def test_a_label_ends_at_its_figures() -> None:
    assert row_label("Total assets | 2018: $36,500") == "Total assets"
    assert row_label("Total assets 36,500 37,987") == "Total assets"
    assert row_label("Goodwill $ 10,051") == "Goodwill"


def test_a_page_that_was_found_is_shown_by_its_passage_with_the_line() -> None:
    row = FoundLine(item="capital expenditure", start=0, end=5)
    other_page, same_page = candidate("a", 1, page=3), candidate("the page's first rows", 2, page=60)
    brought, apart = printed(CASH_FLOWS, CASH, 3, page=60), printed("b | 1", CASH, 4, page=61)
    result = add_lines(
        [other_page, same_page],
        [brought.chunk, apart.chunk],
        {str(each.chunk.chunk_id): (row,) for each in (brought, apart)},
    )
    assert [each.chunk.number for each in result] == [1, 3, 2, 4]
    assert [bool(each.lines) for each in result] == [False, True, False, True]
    assert result[1].hit.ranks == ()


def test_a_passage_that_was_found_itself_keeps_its_place() -> None:
    row = FoundLine(item="capital expenditure", start=0, end=5)
    first, second = printed(CASH_FLOWS, CASH, 1), candidate("b", 2)
    result = add_lines([first, second], [first.chunk], {str(first.chunk.chunk_id): (row,)})
    assert [(each.chunk.number, each.lines) for each in result] == [(1, (row,)), (2, ())]


def test_each_document_gives_its_own_rows() -> None:
    later = document(2, fiscal_year=2019)
    one = printed("Net sales | 2018: 5", INCOME, 1)
    other = candidate("Net sales | 2019: 6", 2, facts=later)
    other = replace(other, chunk=replace(other.chunk, statements=(INCOME,)))
    assert rows_of("revenue", one, other) == ["Net sales | 2018: 5", "Net sales | 2019: 6"]
