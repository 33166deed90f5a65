"""A piece of a report answers a question for a figure only if it gives that very figure, and none that is near it."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import Candidate, GeneratedAnswer
from apps.retrieval.generation.extractive import ExtractiveGenerator
from tests.retrieval.builders import analysed, candidate, context_of, document, entry

_REPORT = document(1, title="Merrowby annual report 2024", company="Merrowby", fiscal_year=2024)
_HELD = (entry("Merrowby", 2024), entry("Merrowby", 2023), entry("Oakhill", 2024), entry("4Tor", 2024))


def draft(question: str, *texts: str, language: str = "en") -> GeneratedAnswer:
    analysis = analysed(question, *_HELD, language=language)
    found: list[Candidate] = [
        candidate(text, number, facts=_REPORT, language=language) for number, text in enumerate(texts, 1)
    ]
    return ExtractiveGenerator(confidence_needed=0.0).generate(analysis, context_of(analysis, found))


@pytest.mark.parametrize(
    ("question", "text", "said"),
    [
        (
            "How many training centres did Merrowby run in 2024?",
            "In 2024 Merrowby ran 140 training centres for its drivers.",
            "140",
        ),
        (
            "How much goodwill impairment did Merrowby record in 2024?",
            "A goodwill impairment of $61 million was recorded in 2024.",
            "61",
        ),
        (
            "How many ferries did Merrowby own in 2024?",
            "At the end of 2024 we owned 37 ferries and leased two more.",
            "37",
        ),
        (
            "What were the pension contributions of Merrowby in 2024, in $ million?",
            "Pension contributions were $12.4 million in 2024.",
            "12.4",
        ),
    ],
)
def test_a_sentence_that_states_the_figure_beside_its_name_is_the_answer(question: str, text: str, said: str) -> None:
    answer = draft(question, text)
    assert not answer.closest
    assert said in answer.text


@pytest.mark.parametrize(
    ("question", "text"),
    [
        # Another number: part of a name, or of another thing.
        ("How many training centres did Merrowby run in 2024?", "COVID-19 closed many training centres of Merrowby."),
        (
            "How many training centres did Merrowby run in 2024?",
            "Merrowby ran training centres in 2024. Fuel cost it $3 million.",
        ),
        # Another year, or a plan.
        (
            "How many ferries did Merrowby own in 2024?",
            "At the end of 2023 we owned 35 ferries.",
        ),
        ("How many ferries did Merrowby own in 2024?", "We expect to own 41 ferries by the end of 2024."),
        # Another length of time.
        (
            "How much goodwill impairment did Merrowby record in 2024?",
            "A goodwill impairment of $61 million was recorded in the three months ended June 30.",
        ),
        # A part of the company.
        (
            "How much goodwill impairment did Merrowby record in 2024?",
            "A goodwill impairment of $61 million was recorded in the Harbour reporting unit.",
        ),
        # Another kind of number.
        (
            "What were the pension contributions of Merrowby in 2024, in $ million?",
            "Pension contributions were 4.5 % of wages in 2024.",
        ),
        # A row of another figure.
        (
            "What was the order intake of Merrowby in 2024?",
            "(in $ million) | 2024 | 2023\nOrder cancellations | 2024: 18 | 2023: 16",
        ),
    ],
)
def test_what_is_near_the_figure_is_shown_and_not_given_as_the_answer(question: str, text: str) -> None:
    assert draft(question, text).closest


def test_of_sentences_that_differ_only_that_of_the_group_is_the_answer() -> None:
    of_parts = (
        "Harbours\nNet fares were $310 million in 2024.",
        "Rivers\nNet fares were $120 million in 2024.",
    )
    question = "How high were the net fares of Merrowby in 2024?"
    assert draft(question, *of_parts).closest
    answer = draft(question, *of_parts, "Consolidated net fares were $430 million in 2024.")
    assert answer.closest or "430" in answer.text.split("\n")[0]


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (
            "Which of Merrowby's lines carried the most passengers in 2024?",
            "Merrowby runs 4 lines: Harbour, River, Lake and Coast.",
        ),
        (
            "Was Merrowby's revenue above 5 billion dollars in 2024?",
            "Revenue of Merrowby is explained in note 3 of 2024.",
        ),
        ("By how much did Merrowby's order intake change in 2024?", "The order intake of Merrowby was $40 million."),
        ("What was Merrowby's average fare in 2024?", "The fare of Merrowby was $40."),
    ],
)
def test_a_sentence_without_the_result_does_not_answer_a_question_for_one(question: str, text: str) -> None:
    assert draft(question, text).closest


def test_a_sentence_that_states_the_change_answers_a_question_for_it() -> None:
    question = "By how much did Merrowby's order intake change in 2024?"
    answer = draft(question, "The order intake of Merrowby increased by $4 million in 2024.")
    assert not answer.closest


def test_what_is_missing_is_said() -> None:
    answer = draft(
        "How much goodwill impairment did Merrowby record in 2024?",
        "A goodwill impairment of $61 million was recorded in the Harbour reporting unit.",
    )
    assert "a figure of the whole company" in answer.text


def test_a_row_under_a_line_that_makes_another_figure_of_it_is_another_figure() -> None:
    text = "Hold Adjusted Same-Route\nNet revenues | 2024: 1,834 | 2023: 1,645\nFuel | 2024: 80 | 2023: 75"
    assert draft("How high were the net revenues of Merrowby in 2024?", text).closest
    plain = "Net revenues | 2024: 1,834 | 2023: 1,645\nFuel | 2024: 80 | 2023: 75"
    assert "1,834" in draft("How high were the net revenues of Merrowby in 2024?", plain).text


@pytest.mark.parametrize(
    ("question", "language", "wants"),
    [
        ("Ergebnis je Aktie (verw\u00e4ssert) von Merrowby 2024?", "de", True),
        ("Merrowby 2024: net interest income north of $20bn?", "en", True),
        ("Merrowby dividend per share 2024", "en", True),
        ("Who approved the dividend per share of Merrowby in 2024?", "en", False),
        ("Why did Merrowby cut its dividend per share in 2024?", "en", False),
        ("When did Merrowby pay its dividend per share of 2024?", "en", False),
    ],
)
def test_a_figure_of_the_vocabulary_of_a_period_is_asked_for(question: str, language: str, wants: bool) -> None:
    assert analysed(question, *_HELD, language=language).wants_number is wants
