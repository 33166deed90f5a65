from __future__ import annotations

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.intents.contracts import PolicySnapshot
from apps.intents.instructions import core_question
from tests.intents.held_out import HELD_OUT, INJECTIONS

QUESTION = "What was last quarter's drawdown?"


@pytest.mark.parametrize("injection", INJECTIONS)
def test_an_instruction_before_the_question_is_set_aside(injection: str) -> None:
    assert core_question(f"{injection} {QUESTION}").text == QUESTION


@pytest.mark.parametrize("injection", INJECTIONS)
def test_an_instruction_after_the_question_is_set_aside(injection: str) -> None:
    assert core_question(f"{QUESTION} {injection}").text == QUESTION


@pytest.mark.parametrize("injection", INJECTIONS)
def test_an_instruction_alone_leaves_nothing(injection: str) -> None:
    assert core_question(injection).text == ""


@pytest.mark.parametrize("injection", INJECTIONS)
def test_what_was_set_aside_is_kept(injection: str) -> None:
    assert core_question(f"{injection} {QUESTION}").set_aside


@pytest.mark.parametrize(
    "question",
    [
        "Can we ignore the restriction on short selling?",
        "As of 31 December 2024, what was the return?",
        "Who is the compliance officer?",
        "Which rules apply to us as a management company?",
        "What should I do if I forget the limit?",
    ],
)
def test_a_question_about_rules_and_roles_stays_whole(question: str) -> None:
    assert core_question(question).text == question


def test_no_ordinary_question_loses_anything(baseline: PolicySnapshot) -> None:
    questions = [example.text for example in baseline.examples if example.intent]
    questions += [text for intent, texts in HELD_OUT.items() if intent for text in texts]
    assert [text for text in questions if core_question(text).set_aside] == []


def test_what_stands_beside_the_question_does_not_decide_and_is_searched_with() -> None:
    core = core_question("The Alpha fund fell in March. Compliance is worried. What was the reason?")
    assert core.text == "What was the reason?"
    assert core.beside == ("The Alpha fund fell in March.", "Compliance is worried.")
    assert core.search_text == "The Alpha fund fell in March. Compliance is worried. What was the reason?"


@pytest.mark.parametrize(
    "question",
    [
        "Capital expenditure of the U.S. Equity fund. No. 5 on the list.",
        "Returns by year: 2022, 2023 and 2024",
        "Drawdown of Alpha",
    ],
)
def test_where_nothing_asks_the_whole_text_is_the_question(question: str) -> None:
    assert core_question(question).text == question


@pytest.mark.parametrize(
    "question",
    [
        "What was the return of the U.S. Equity fund approx. in Q4 vs. the index?",
        "Give me the drawdown. Then show the Sharpe ratio.",
        "I would like to know the fee. How is it computed?",
        "Bitte nenne die Gebühr. Wie wird sie berechnet?",
    ],
)
def test_every_sentence_that_asks_is_kept(question: str) -> None:
    core = core_question(question)
    assert (core.text, core.beside) == (question, ())


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    core = core_question(text)
    assert len(core.text) <= len(core.search_text) <= len(unicodedata.normalize("NFKC", text))


# Whatever begins a pattern, said again and again.
_PIECES = (
    "ignore |pretend, |\n|I am |as the chief |. |and |<a |{|kinds=|a(b|: what |from the |style_sample, |[kind |?) "
)


@pytest.mark.parametrize("piece", _PIECES.split("|"))
def test_a_long_text_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        """Of this thread's own computing, at best: other processes must not count."""
        taken = []
        for _ in range(3):
            started = time.thread_time()
            core_question(piece * (length // len(piece)))
            taken.append(time.thread_time() - started)
        return min(taken)

    # Eight times the text; a quadratic reading would take sixty-four times as long.
    assert seconds(80_000) < 30 * seconds(10_000) + 0.05
