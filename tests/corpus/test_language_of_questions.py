"""The language of a question: a short sentence, with names and figures of any language in it."""

from __future__ import annotations

import pytest

from apps.corpus.extraction.language import language_of_question


@pytest.mark.parametrize(
    "text",
    [
        "Wie hoch war der Drawdown im vierten Quartal 2024?",
        "Welche Prognose gab Quellbach im M\u00e4rz 2024?",
        "Wer pr\u00fcft den Abschluss?",
        "Ab welcher Mindestanlage d\u00fcrfen wir den Calder Global Equity Fund vertreiben?",
        "Umsatzerl\u00f6se 2023",
        "Was gilt f\u00fcr Werbung?",
    ],
)
def test_german_questions_are_read_as_german(text: str) -> None:
    assert language_of_question(text) == "de"


@pytest.mark.parametrize(
    "text",
    [
        "What was last quarter's drawdown?",
        "How many people does M\u00fcnchener Maschinenbau employ?",
        "Net sales 2023",
        "Who audits Die Zeit Verlag?",
        "",
        "10-K 2022",
    ],
)
def test_others_are_read_as_english(text: str) -> None:
    assert language_of_question(text) == "en"
