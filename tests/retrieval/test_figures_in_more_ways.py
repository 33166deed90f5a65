"""More ways in which a figure of a report is asked for, and more ways in which reports print it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from apps.retrieval.contracts import Candidate, FactCell
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.figures.calculating.definitions import read_definition
from apps.retrieval.stages.figures.calculating.form_words import EITHER
from apps.retrieval.stages.figures.calculating.shares import is_given_in_percent
from apps.retrieval.stages.figures.phrases import figures_beside
from apps.retrieval.steps.quoting import check_quoted
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

_HELD = (
    entry("Ashcombe", 2024, ticker="ASH"),
    entry("Ashcombe", 2024, 2),
    entry("Dunmoor", 2024),
    entry("4Tor", 2024),
)
_ANNUAL = document(1, title="Ashcombe 2024", company="Ashcombe", fiscal_year=2024)
_QUARTERLY = document(2, title="Ashcombe Q2 2024", company="Ashcombe", fiscal_year=2024, fiscal_quarter=2)
_OTHER = document(3, title="Dunmoor 2024", company="Dunmoor", fiscal_year=2024)
_WITH_A_DIGIT = document(4, title="4Tor 2024", company="4Tor", fiscal_year=2024)

INCOME = """\
(in $ million) | 2024 | 2023
Revenue | 2024: 400 | 2023: 320
Operating income | 2024: 60 | 2023: 80
Depreciation and amortization | 2024: 20 | 2023: 16
Net income | 2024: 45 | 2023: 50"""
BALANCE = """\
(in $ million) | December 31, 2024 | December 31, 2023
Total current assets | December 31, 2024: 90 | December 31, 2023: 80
Total current liabilities | December 31, 2024: 60 | December 31, 2023: 40
Total assets | December 31, 2024: 500 | December 31, 2023: 300
Total shareholders' equity | December 31, 2024: 200 | December 31, 2023: 100"""


def answered(question: str, *found: Candidate, language: str = "en") -> str:
    analysis = analysed(question, *_HELD, language=language)
    context = context_of(analysis, found)
    draft = ExtractiveGenerator().generate(analysis, context)
    if draft.closest or draft.refusal is not None:
        return ""
    assert all(each.supported for each in check_quoted(draft, context, analysis).findings)
    return draft.text


def of_ashcombe(*texts: str) -> list[Candidate]:
    return [candidate(text, number, facts=_ANNUAL) for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What return on average equity did Ashcombe earn in 2024?", "45 / ((100 + 200) / 2) = 30.0 %"),
        ("Return on average assets of Ashcombe, 2024?", "45 / ((300 + 500) / 2) = 11.3 %"),
        ("ASH op margin FY24?", "60 / 400 = 15.0 %"),
        ("EBITDA margin Ashcombe 2024, taking operating income plus depreciation and amortization?", "(60 + 20) / 400"),
        ("Asset turnover of Ashcombe at December 31, 2024 (revenue over average total assets)?", "400 / "),
    ],
)
def test_a_measure_is_worked_out_however_it_is_spelled_out(question: str, said: str) -> None:
    assert said in answered(question, *of_ashcombe(INCOME, BALANCE))


@pytest.mark.parametrize(
    "question",
    [
        # Another sign, another line, an average that the measure has not.
        "EBITDA margin Ashcombe 2024, taking operating income less depreciation and amortization?",
        "EBITDA margin Ashcombe 2024, taking operating income plus impairments?",
        "What adjusted return on average equity did Ashcombe earn in 2024?",
    ],
)
def test_a_measure_that_is_spelled_out_otherwise_is_another(question: str) -> None:
    text = answered(question, *of_ashcombe(INCOME, BALANCE))
    assert "(60 + 20) / 400" not in text
    assert "30.0 %" not in text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Operating income of Ashcombe 2024, better or worse than the year before?", "Worse: "),
        ("Was Ashcombe's net income in 2024 higher or lower than in 2023?", ""),
        ("Ashcombe revenue 2024: up or down on 2023?", "Up: "),
    ],
)
def test_of_two_ways_the_answer_names_the_one_that_is_so(question: str, said: str) -> None:
    assert said in answered(question, *of_ashcombe(INCOME)).split("\n")[0]


def test_a_cost_that_rises_is_not_called_better() -> None:
    text = "(in $ million) | 2024 | 2023\nFuel expense | 2024: 90 | 2023: 80"
    said = answered("Fuel expense of Ashcombe 2024, better or worse than 2023?", *of_ashcombe(text))
    assert "Better" not in said
    assert EITHER.search("Is it one or the other?") is None


def test_what_spans_two_columns_is_written_over_the_first() -> None:
    text = (
        "Lift fares | Three months ended June 30, 2024: 22 | June 30, 2023: 20 | Six months ended June 30, 2024: 45"
        " | June 30, 2023: 40"
    )
    found = candidate(text, 1, facts=_QUARTERLY)
    said = answered("By how much did Ashcombe's lift fares rise in Q2 2024?", found)
    assert "22 - 20 = 2" in said
    assert "45 -" not in said


def test_a_year_is_not_given_by_the_columns_of_its_quarters() -> None:
    text = "Lift fares | Three months ended June 30, 2024: 22 | June 30, 2023: 20"
    said = answered("How high were Ashcombe's lift fares in fiscal year 2024?", candidate(text, 1, facts=_QUARTERLY))
    assert "22" not in said


def _stated_in_two_scales(coarse: str) -> list[Candidate]:
    fine = "(in $ thousand) | 2024 | 2023\nLift fares | 2024: 10,208,580 | 2023: 8,630,889"
    return of_ashcombe(fine, f"(in $ million) | 2024 | 2023\nLift fares | {coarse}")


def test_a_figure_that_stands_there_rounded_as_well_is_the_same() -> None:
    question = "By how much did Ashcombe's lift fares rise from 2023 to 2024?"
    assert "10,208,580 - 8,630,889" in answered(question, *_stated_in_two_scales("2024: 10,208.6 | 2023: 8,630.9"))


def test_another_figure_in_another_scale_leaves_it_open() -> None:
    question = "By how much did Ashcombe's lift fares rise from 2023 to 2024?"
    assert " - 8,630,889" not in answered(question, *_stated_in_two_scales("2024: 10,912.6 | 2023: 8,630.9"))


def _compared() -> list[Candidate]:
    of_other = "(in $ million) | 2024 | 2023\nTotal current assets | 2024: 50 | 2023: 40\n"
    return [
        candidate(f"{of_other}Total current liabilities | 2024: 50 | 2023: 40", 5, facts=_WITH_A_DIGIT),
        candidate(BALANCE, 6, facts=_ANNUAL),
    ]


def test_a_company_with_a_digit_in_its_name_is_compared() -> None:
    said = answered("4Tor vs Ashcombe, 2024: whose current ratio is higher?", *_compared())
    assert said.startswith("Ashcombe: ")
    assert "1.50 - 1.00 = 0.50" in said


def test_who_asks_for_the_lower_figure_is_told_that_one_first() -> None:
    said = answered("4Tor vs Ashcombe, 2024: whose current ratio is lower?", *_compared())
    assert said.startswith("“4Tor”: ")


def test_a_result_that_turns_is_of_both_years() -> None:
    text = "(in $ million) | 2024 | 2023\nOperating income | 2024: 12 | 2023: (5)"
    question = "Did Ashcombe's operating income turn positive in 2024 compared with 2023?"
    assert answered(question, *of_ashcombe(text)).startswith("Yes: ")
    before = text.replace("(5)", "5")
    assert not answered(question, *of_ashcombe(before)).startswith("Yes: ")


def test_a_result_before_minorities_is_not_that_of_the_minorities() -> None:
    text = (
        "(in $ million) | 2024 | 2023\nNet loss | 2024: (53) | 2023: (42)\n"
        "Less: net loss attributable to noncontrolling interest | 2024: (8) | 2023: (6)"
    )
    said = answered("Ashcombe's net loss before minorities in 2024?", *of_ashcombe(text))
    assert "(8)" not in said.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "above"),
    [
        ("Aufwandsquote Ashcombe, 2. Quartal 2024: Fuel expense geteilt durch Revenue?", "Fuel expense"),
        ("Fuel expense in Q2 2024 divided by revenue?", "Fuel expense"),
        ("Fuel expense in the second quarter of 2024 divided by revenue?", "Fuel expense"),
    ],
)
def test_the_quarter_is_no_part_of_a_name_in_a_formula(question: str, above: str) -> None:
    definition = read_definition(question)
    assert definition is not None
    assert definition.formula.left.name == above  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "name", "numbers"),
    [
        ("Clinics closed in COVID-19 times.", "Clinics", []),
        ("Clinics: 1,100 in all.", "Clinics", ["1,100"]),
        ("We file Form 10-K on clinics", "clinics", []),
        ("It has 1,100 clinics.", "clinics", ["1,100"]),
    ],
)
def test_a_number_in_a_sign_is_no_figure(text: str, name: str, numbers: list[str]) -> None:
    start = text.index(name)
    found = figures_beside(text, start, start + len(name), change_asked=False)
    assert [each.text for each in found] == numbers


@pytest.mark.parametrize(
    ("question", "percent"),
    [
        ("Wie hoch war der Umsatz von Ashcombe 2024?", False),
        ("Wie hoch war der Steuersatz von Ashcombe 2024?", True),
        ("What was Ashcombe's ROE in 2024?", True),
        ("What was Ashcombe's net income in 2024?", False),
    ],
)
def test_what_is_given_in_per_cent(question: str, percent: bool) -> None:
    language = "de" if question.startswith("Wie") else "en"
    assert is_given_in_percent(analysed(question, *_HELD, language=language)) is percent


def _balances(day: date, before: date) -> Candidate:
    text = f"Deposits | {day:%B} {day.day}, {day.year}: 90 | {before:%B} {before.day}, {before.year}: 80"
    found = candidate(f"(in $ million)\n{text}", 1, facts=_QUARTERLY)
    cells = tuple(
        FactCell(
            start=found.chunk.text.index(figure, found.chunk.text.index(text)),
            end=found.chunk.text.index(figure, found.chunk.text.index(text)) + 2,
            concept="deposits",
            fiscal_year=each.year,
            fiscal_quarter=0 if each.month == 12 else 2,
            months=0,
            ends_on=each,
        )
        for figure, each in (("90", day), ("80", before))
    )
    return replace(found, chunk=replace(found.chunk, facts=cells))


def test_the_balance_of_a_day_is_not_that_of_another_day_of_its_year() -> None:
    question = "What were Ashcombe's deposits at June 30, 2024?"
    assert "90" in answered(question, _balances(date(2024, 6, 30), date(2023, 12, 31)))
    assert "90" not in answered(question, _balances(date(2024, 12, 31), date(2023, 12, 31)))
