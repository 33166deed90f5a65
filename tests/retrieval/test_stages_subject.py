"""Whom a question is about, and whether the context speaks of them."""

from __future__ import annotations

import pytest

from apps.retrieval.stages.question.names import name_phrases


@pytest.mark.parametrize(
    ("question", "phrases"),
    [
        ("What was the drawdown of the Northlight World Equity Fund in Q4 2024?", ("Northlight World Equity Fund",)),
        ("How did Harbour Point compare with Castle Hill last year?", ("Harbour Point", "Castle Hill")),
        ("What was last quarter's drawdown?", ()),
        ("What does the Board Report say?", ()),
        ("WHAT WAS THE DRAWDOWN OF THE FUND?", ()),
    ],
)
def test_names_of_several_words_are_read_whole(question: str, phrases: tuple[str, ...]) -> None:
    assert name_phrases(question, question, "en") == phrases


def test_german_capitals_are_no_names() -> None:
    question = "Wie hoch war der Maximale Verlust des Fonds?"
    assert name_phrases(question, question, "de") == ()
