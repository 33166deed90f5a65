from __future__ import annotations

import pytest

from apps.retrieval.contracts import RefusalReason
from apps.retrieval.stages.question.glossary import GLOSSARY
from tests.retrieval.builders import CAPEX_QUESTION, analysed, entry

NORTHWIND = entry("Northwind", 2018)


def test_glossary_expands_capex_to_what_the_statement_calls_it() -> None:
    (expansion,) = analysed("Northwind's capex").expansions
    assert "purchases of property, plant and equipment" in expansion.phrases


def test_expansion_terms_weigh_less_than_the_question() -> None:
    weights = {each.term: each.weight for each in analysed("What was the capex?").terms}
    assert weights["capex"] == 1.0
    assert weights["equip"] == 0.6


def test_expansion_terms_name_their_source() -> None:
    sources = {each.term: each.source for each in analysed("What was the capex?").terms}
    assert sources["equip"] == "capital expenditure"


def test_words_about_the_answer_are_left_out_and_shown() -> None:
    analysis = analysed(CAPEX_QUESTION, NORTHWIND)
    assert {"response", "relying", "details"} <= set(analysis.ignored_words)
    assert [each.label for each in analysis.concepts] == ["capital expenditure", "cash flow statement"]


def test_company_under_a_filter_is_not_searched_as_a_word() -> None:
    assert "northwind" not in {each.term for each in analysed(CAPEX_QUESTION, NORTHWIND).terms}


def test_company_without_a_filter_is_searched_as_a_word() -> None:
    assert "northwind" in {each.term for each in analysed(CAPEX_QUESTION).terms}


def test_year_is_a_term() -> None:
    assert "2018" in {each.term for each in analysed(CAPEX_QUESTION, NORTHWIND).terms}


def test_terms_are_distinct() -> None:
    terms = [each.term for each in analysed("capex, capital expenditure and capital spending").terms]
    assert len(terms) == len(set(terms))


@pytest.mark.parametrize("text", ["What is it?", "?!", "tell me", "Northwind", "Northwind FY2018?"])
def test_vague_question_is_refused_with_help(text: str) -> None:
    refusal = analysed(text, NORTHWIND).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.TOO_VAGUE
    assert "such as: What was the maximum drawdown" in refusal.message


def test_refusal_says_what_was_understood() -> None:
    refusal = analysed("Northwind FY2018?", NORTHWIND).refusal
    assert refusal is not None
    assert "only Northwind, FY2018 was understood" in refusal.message


CALL = entry("Northwind", 2018, document_type="earnings_transcript")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("What did an analyst ask on the earnings call of Northwind?", {"analyst", "ask"}),
        ("Which questions did analysts ask on the earnings call of Northwind?", {"question", "analyst", "ask"}),
        ("What was the answer to the analysts on the earnings call of Northwind?", {"answer", "analyst"}),
        ("Show me the questions and answers of the Northwind earnings call.", {"question", "answer"}),
    ],
)
def test_what_was_asked_and_answered_is_a_subject_where_a_transcript_is_named(text: str, labels: set[str]) -> None:
    analysis = analysed(text, CALL)
    assert analysis.refusal is None
    assert labels <= {each.label for each in analysis.concepts}


@pytest.mark.parametrize(
    "text",
    [
        "What did an analyst ask, and what was the answer?",
        "What did Northwind say on its earnings call?",
        "Which questions does the 10-K of Northwind answer?",
    ],
)
def test_what_was_asked_and_answered_is_no_subject_elsewhere(text: str) -> None:
    refusal = analysed(text, CALL, NORTHWIND).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.TOO_VAGUE


def test_a_question_on_a_call_that_names_its_subject_is_not_about_who_asked() -> None:
    concepts = analysed("What did an analyst ask about margins on Northwind's earnings call?", CALL).concepts
    assert not {"analyst", "ask"} & {each.label for each in concepts}


def test_one_word_is_enough_if_it_names_a_figure() -> None:
    assert analysed("drawdown?").refusal is None


def test_unknown_name_in_the_question_weighs_most() -> None:
    weights = {each.label: each.weight for each in analysed("What was the drawdown of the Orion fund?").concepts}
    assert max(weights, key=lambda label: weights[label]) == "orion"


def test_title_case_makes_no_names() -> None:
    assert not any(each.is_name for each in analysed("What Was The Adjusted Margin Of The Segment").concepts)


def test_document_type_by_its_form_number() -> None:
    analysis = analysed("What does the 8-K say about the merger?", entry("A", 2022, document_type="8-K"))
    assert [(each.field.value, each.values) for each in analysis.filters] == [("document_type", ("8-K",))]


def test_same_question_same_analysis() -> None:
    assert analysed(CAPEX_QUESTION, NORTHWIND) == analysed(CAPEX_QUESTION, NORTHWIND)


def test_glossary_triggers_are_unique() -> None:
    triggers = [trigger.lower() for each in GLOSSARY for trigger in each.triggers]
    assert sorted(triggers) == sorted(set(triggers))


@pytest.mark.parametrize(
    ("question", "statements"),
    [
        ("What was Northwind's capex in FY2018?", ["cash_flow_statement"]),
        ("What is the FY2018 quick ratio of Northwind?", ["balance_sheet"]),
        ("What is the FY2018 EBITDA margin of Northwind?", ["income_statement", "cash_flow_statement"]),
        (
            "Is Northwind a capital-intensive business based on FY2018 data?",
            ["cash_flow_statement", "balance_sheet", "income_statement"],
        ),
        ("Welche Abschreibungen weist die Kapitalflussrechnung 2018 aus?", ["cash_flow_statement"]),
        ("Who audits Northwind?", []),
    ],
)
def test_a_figure_asks_for_the_statements_that_it_is_read_from(question: str, statements: list[str]) -> None:
    found = [term for term in analysed(question, NORTHWIND).terms if term.term.startswith("statement:")]
    assert sorted(each.term.removeprefix("statement:") for each in found) == sorted(statements)
    assert all(each.weight == 1.0 and each.source for each in found)
