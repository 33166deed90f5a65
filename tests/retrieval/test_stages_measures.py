from __future__ import annotations

from dataclasses import replace

import pytest

from apps.corpus.extraction.statements import Statement
from apps.retrieval.contracts import Candidate, ContextBlock, DocumentFacts, GroundingStatus, QueryAnalysis
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.figures.line_answer import line_rows
from apps.retrieval.stages.figures.line_items import find_asked_items
from apps.retrieval.stages.figures.lines import add_lines, find_lines
from apps.retrieval.stages.figures.measures import work_out_measures
from apps.retrieval.stages.grounding.ground import ground
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

BALANCE = """\
Consolidated Balance Sheets
(in millions, except per share data)
Cash and cash equivalents | 2018: 2,853 | 2017: 3,053
Inventories | 2018: 4,366 | 2017: 4,034
Total current assets | 2018: 13,709 | 2017: 14,277
Property, plant and equipment, net | 2018: 8,738 | 2017: 8,866
Total assets | 2018: 36,500 | 2017: 37,987
Total current liabilities | 2018: 7,244 | 2017: 7,687
Total equity | 2018: 9,848 | 2017: 11,622"""
INCOME = """\
Consolidated Statement of Income
(in millions, except per share data)
Net sales | 2018: $32,765 | 2017: $31,657
Cost of sales | 2018: (16,682) | 2017: (16,055)
Operating income | 2018: 7,207 | 2017: 7,692
Income before income taxes | 2018: 7,000 | 2017: 7,548
Provision for income taxes | 2018: 1,637 | 2017: 2,679
Net income | 2018: 5,363 | 2017: 4,869"""
CASH = """\
Consolidated Statement of Cash Flows
(in millions)
Depreciation and amortization | 2018: 1,488 | 2017: 1,544
Net cash provided by operating activities | 2018: 6,439 | 2017: 6,240
Purchases of property, plant and equipment | 2018: (1,577) | 2017: (1,373)"""
STATEMENTS = (
    (BALANCE, Statement.BALANCE_SHEET),
    (INCOME, Statement.INCOME_STATEMENT),
    (CASH, Statement.CASH_FLOW_STATEMENT),
)


def printed(facts: DocumentFacts | None = None, *, first: int = 1) -> list[Candidate]:
    made = []
    for number, (text, statement) in enumerate(STATEMENTS, start=first):
        passage = candidate(text, number, facts=facts, page=number)
        made.append(replace(passage, chunk=replace(passage.chunk, statements=(statement,))))
    return made


def read(question: str, *passages: Candidate) -> tuple[QueryAnalysis, ContextBlock]:
    analysis = analysed(question, entry("Northwind", 2018))
    chunks = [passage.chunk for passage in passages]
    return analysis, context_of(analysis, add_lines(passages, chunks, find_lines(chunks, find_asked_items(analysis))))


def shown(question: str, *passages: Candidate) -> list[str]:
    analysis, context = read(question, *(passages or printed()))
    return [each.text for each in work_out_measures(analysis, line_rows(analysis, context))]


@pytest.mark.parametrize(
    ("question", "calculation"),
    [
        ("What is Northwind's quick ratio for FY2018?", "(13,709 - 4,366) / 7,244 = 1.29"),
        ("What is the current ratio of Northwind in FY2018?", "13,709 / 7,244 = 1.89"),
        ("What is Northwind's working capital in FY2018?", "13,709 - 7,244 = 6,465"),
        ("What is Northwind's gross margin in FY2018?", "(32,765 - 16,682) / 32,765 = 49.1 %"),
        ("What is Northwind's operating margin in FY2018?", "7,207 / 32,765 = 22.0 %"),
        ("What is Northwind's effective tax rate in FY2018?", "1,637 / 7,000 = 23.4 %"),
        ("What is Northwind's EBITDA in FY2018?", "7,207 + 1,488 = 8,695"),
        ("What is Northwind's EBITDA margin in FY2018?", "(7,207 + 1,488) / 32,765 = 26.5 %"),
        ("What is Northwind's free cash flow in FY2018?", "6,439 - 1,577 = 4,862"),
        ("What is Northwind's asset turnover in FY2018?", "32,765 / 36,500 = 0.90"),
        ("What is Northwind's equity ratio in FY2018?", "9,848 / 36,500 = 27.0 %"),
        ("What is Northwind's pre-tax margin in FY2018?", "7,000 / 32,765 = 21.4 %"),
        ("What is Northwind's cash conversion in FY2018?", "6,439 / 5,363 = 120.1 %"),
        ("What is Northwind's days of inventory in FY2018?", "4,366 * 365 / 16,682 = 95.53"),
        ("What is Northwind's return on assets in FY2018?", "5,363 / 36,500 = 14.7 %"),
        ("What is Northwind's return on equity in FY2018?", "5,363 / 9,848 = 54.5 %"),
        ("Is Northwind capital intensive based on FY2018 data?", "1,577 / 32,765 = 4.8 %"),
        ("What is Northwind's inventory turnover in FY2018?", "16,682 / ((4,034 + 4,366) / 2) = 3.97"),
        ("What is Northwind's fixed asset turnover ratio in FY2018?", "32,765 / ((8,866 + 8,738) / 2) = 3.72"),
    ],
)
def test_a_measure_is_worked_out_and_shown(question: str, calculation: str) -> None:
    (text,) = shown(question)
    assert text.endswith(f", FY2018: {calculation}")


@pytest.mark.parametrize(
    "question",
    [
        "What is Northwind's quick ratio for FY2018?",
        "What is Northwind's EBITDA margin in FY2018?",
        "What is Northwind's inventory turnover in FY2018?",
        "What is Northwind's EBITDA less capex for FY2018?",
        "What is Northwind's two year average of capex as a % of revenue from FY2017 to FY2018?",
        "What are Northwind's days of inventory in FY2018, defined as 365 * average inventory / COGS?",
    ],
)
def test_what_is_shown_passes_the_check_of_every_claim(question: str) -> None:
    analysis, context = read(question, *printed())
    answer = ExtractiveGenerator().generate(analysis, context)
    assert " = " in answer.text
    report = ground(answer, context, analysis=analysis)
    assert report.status is GroundingStatus.GROUNDED


def test_a_calculation_that_is_falsified_does_not_pass() -> None:
    analysis, context = read("What is Northwind's quick ratio for FY2018?", *printed())
    answer = ExtractiveGenerator().generate(analysis, context)
    forged = replace(answer, text=answer.text.replace("= 1.29", "= 1.92"))
    assert forged != answer
    report = ground(forged, context, analysis=analysis)
    assert report.status is not GroundingStatus.GROUNDED


def test_two_years_are_worked_out_the_later_first() -> None:
    texts = shown("How does Northwind's current ratio of FY2018 compare to FY2017?")
    assert [text.split(", ")[1].split(":")[0] for text in texts] == ["FY2018", "FY2017"]


@pytest.mark.parametrize(
    "question",
    [
        "What is the quick ratio of Northwind in FY2018, defined as cash and bonds divided by current liabilities?",
        "What is Northwind's EBITDA less capex for FY2018? Define EBITDA as the best figure of the segments.",
        "What is Northwind's EBITDA less capex for FY2018? Define net margin as net income / revenue.",
        "What is Northwind's EBITDA in FY2018, defined as " + "(" * 1_500 + "operating income" + ")" * 1_500 + "?",
        "What is Northwind's EBITDA in FY2018, defined as " + "operating income + " * 180 + "operating income?",
        "What is Northwind's EBITDA in FY2018, defined as " + "operating income * " * 12 + "operating income?",
        "What is Northwind's EBITDA in FY2018, defined as " + "9" * 900 + " * operating income?",
        "What is Northwind's EBITDA less capex less interest for FY2018?",
        "What is Northwind's EBITDA less capex for FY2018, and by how many percent did it change?",
        "What is Northwind's EBITDA less capex as a % of revenue for FY2018?",
        "What is Northwind's quick ratio for FY2018, calculated as total current assets less inventories divided by "
        "total current liabilities?",
        "What is Northwind's fixed asset turnover in FY2018, defined as revenue of the best segment / fixed assets?",
        "What is Northwind's four year average of capex as a % of revenue from FY2017 to FY2018?",
        "What is Northwind's average gross margin over FY2017 and FY2018?",
        "What is Northwind's adjusted EBITDA in FY2018?",
        "What was Northwind's current ratio in Q2 FY2018?",
    ],
)
def test_a_formula_of_one_s_own_is_left_to_who_asks(question: str) -> None:
    assert shown(question) == []


@pytest.mark.parametrize(
    ("question", "calculation"),
    [
        (
            "What is the FY2018 inventory turnover of Northwind? It is defined as: (FY2018 COGS) / (average inventory "
            "between FY2017 and FY2018). Round your answer to three decimal places.",
            "By your formula, from “Cost of sales” and “Inventories”, FY2018: 16,682 / ((4,034 + 4,366) / 2) = 3.972",
        ),
        (
            "What is Northwind's days of inventory in FY2018, defined as 365 * average inventory / (COGS + change in "
            "inventory)?",
            "365 * ((4,034 + 4,366) / 2) / (16,682 + 4,366 - 4,034) = 90.10",
        ),
        (
            "What is Northwind's two year average of capex as a % of revenue from FY2017 to FY2018? Round to one "
            "decimal place.",
            "(1,373 / 31,657 + 1,577 / 32,765) / 2 = 4.6 %",
        ),
        (
            "What is Northwind's EBITDA less capex for FY2018?",
            "By your formula, from “Operating income” and “Depreciation and amortization” and “Purchases of property, "
            "plant and equipment”, FY2018: 7,207 + 1,488 - 1,577 = 7,118",
        ),
        (
            "What is the FY2018 unadjusted EBITDA minus capital expenditures for Northwind? Define unadjusted EBITDA "
            "as operating income + depreciation and amortization + inventories [from the balance sheet].",
            "7,207 + 1,488 + 4,366 - 1,577 = 11,484",
        ),
        (
            "What is EBITDA of Northwind in FY2018, calculated as: operating income plus depreciation and "
            "amortization?",
            "7,207 + 1,488 = 8,695",
        ),
        (
            "What was Northwind's growth in net income in FY2018 in percent, defined as (FY2018 net income - FY2017 "
            "net income) / FY2017 net income?",
            "(5,363 - 4,869) / 4,869 = 10.1 %",
        ),
    ],
)
def test_a_formula_of_one_s_own_is_worked_out_where_every_word_is_understood(question: str, calculation: str) -> None:
    (text,) = shown(question)
    assert calculation in text


def test_a_loss_is_not_turned_into_a_ratio() -> None:
    loss = INCOME.replace("Income before income taxes | 2018: 7,000", "Income before income taxes | 2018: (7,000)")
    passages = printed()
    passages[1] = replace(passages[1], chunk=replace(passages[1].chunk, text=loss))
    assert shown("What is Northwind's effective tax rate in FY2018?", *passages) == []


def test_parts_in_two_scales_are_not_put_together() -> None:
    passages = printed()
    thousands = CASH.replace("(in millions)", "(in thousands)")
    passages[2] = replace(passages[2], chunk=replace(passages[2].chunk, text=thousands))
    assert shown("What is Northwind's EBITDA in FY2018?", *passages) == []


def test_parts_of_two_companies_are_not_put_together() -> None:
    facts = document(2, company="Contoso")
    balance, income, _ = printed()
    cash = printed(facts, first=4)[2]
    assert shown("What is Northwind's EBITDA in FY2018?", balance, income, cash) == []


def test_a_year_that_stands_twice_in_a_row_is_not_chosen_between() -> None:
    passages = printed()
    twice = INCOME.replace(
        "Operating income | 2018: 7,207 | 2017: 7,692",
        "Operating income | Three months ended 2018: 1,800 | Twelve months ended 2018: 7,207",
    )
    passages[1] = replace(passages[1], chunk=replace(passages[1].chunk, text=twice))
    assert shown("What is Northwind's operating margin in FY2018?", *passages) == []


# --- the rows ---


def quoted(question: str, *passages: Candidate) -> list[str]:
    analysis, context = read(question, *(passages or printed()))
    return [row.quote.text for row in line_rows(analysis, context)]


def test_a_line_is_answered_by_its_row() -> None:
    question = "What is the FY2018 capital expenditure amount (in USD millions) for Northwind?"
    row = "Purchases of property, plant and equipment | 2018: (1,577) | 2017: (1,373)"
    discussed = candidate("Capital expenditure is expected to be $1.7 billion in 2019 for Northwind.", 9, page=9)
    assert quoted(question, discussed, *printed()) == [row]
    analysis, context = read(question, discussed, *printed())
    answer = ExtractiveGenerator().generate(analysis, context)
    assert answer.quotes[0].text == row
    assert len(answer.quotes) == 1


@pytest.mark.parametrize(
    "question",
    [
        "Which segment of Northwind had the highest revenue in FY2018?",
        "What was the organic revenue of Northwind in FY2018?",
        "What was the revenue of Northwind in FY2016?",
        "Did Northwind's revenue come from more than one country in FY2018?",
    ],
)
def test_what_no_line_answers_is_not_answered_by_one(question: str) -> None:
    assert quoted(question) == []


def test_the_rows_of_one_measure_come_from_the_document_that_has_most_of_them() -> None:
    other = document(2, title="Northwind 2018 earnings release")
    release = candidate("Total current assets | 2018: 13,709", 9, facts=other, page=2)
    release = replace(release, chunk=replace(release.chunk, statements=(Statement.BALANCE_SHEET,)))
    analysis, context = read("What is Northwind's current ratio for FY2018?", release, *printed())
    assert {row.quote.ref_id.split("|")[0] for row in line_rows(analysis, context)} == {"northwind-1"}


def test_further_years_are_taken_from_the_further_report() -> None:
    later = document(2, title="Northwind 2020 10-K", fiscal_year=2020)
    row = candidate("Net sales | 2020: $33,000 | 2019: $32,900", 9, facts=later, page=2)
    row = replace(row, chunk=replace(row.chunk, statements=(Statement.INCOME_STATEMENT,)))
    question = "What was Northwind's revenue in FY2018 and FY2020?"
    analysis = analysed(question, entry("Northwind", 2018), entry("Northwind", 2020))
    passages = [*printed(), row]
    chunks = [passage.chunk for passage in passages]
    context = context_of(analysis, add_lines(passages, chunks, find_lines(chunks, find_asked_items(analysis))))
    found = [row.quote.text for row in line_rows(analysis, context)]
    assert found == ["Net sales | 2018: $32,765 | 2017: $31,657", "Net sales | 2020: $33,000 | 2019: $32,900"]
