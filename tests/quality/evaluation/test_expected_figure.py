"""Whether an answer holds the figure that is expected: units, rounding, and what is no figure at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.quality.evaluation.expected_figure import expected_figure, holds_figure

IN_MILLIONS = "What was capital expenditure (in USD millions)?"
IN_BILLIONS = "What was net property? Answer in USD billions."
PLAIN = "What was the ratio?"


def holds(expected: str, text: str, question: str = PLAIN) -> bool:
    figure = expected_figure(expected, question=question)
    assert figure is not None
    return holds_figure(text, figure)


@pytest.mark.parametrize(
    ("expected", "question", "text"),
    [
        ("$1577.00", IN_MILLIONS, "Purchases of property, plant and equipment (1,577) (1,373)"),
        ("$1577.00", IN_MILLIONS, "It spent $1.577 billion."),
        ("$1577.00", IN_MILLIONS, "It spent $1.58 billion."),
        ("$8.70", IN_BILLIONS, "Property, plant and equipment, net 8,738 8,866"),
        ("$8.70", IN_BILLIONS, "$8.7 billion"),
        ("$400,000,000 increase.", PLAIN, "by $400 million"),
        ("0.66", PLAIN, "a ratio of 0.662"),
        ("0.66", PLAIN, "66 %"),
        ("24.26", PLAIN, "24.3 times"),
        ("12.4%", PLAIN, "12.38 percent"),
        ("12.4%", PLAIN, "| Margin in percent | 12.4 |"),
        ("-5.1%", PLAIN, "a decrease of 5.1 %"),
        ("Yes. It fell from 25.9% to 24.2%.", PLAIN, "25.9 %"),
        ("65", "How many years?", "for 65 years"),
    ],
)
def test_the_same_figure_in_other_words_counts(expected: str, question: str, text: str) -> None:
    assert holds(expected, text, question)


@pytest.mark.parametrize(
    ("expected", "question", "text"),
    [
        ("$1577.00", IN_MILLIONS, "(1,373)"),
        ("$1577.00", IN_MILLIONS, "about $2 billion"),
        ("$1577.00", IN_MILLIONS, "$1577 billion"),
        ("$8.70", IN_BILLIONS, "8,866"),
        ("0.66", PLAIN, "0.67"),
        ("0.66", PLAIN, "660"),
        ("12.4%", PLAIN, "12.6 %"),
        ("$0.55 per share", PLAIN, "550 million"),
        ("0.66", PLAIN, "“no figure” [report|p66|c2]"),
    ],
)
def test_another_figure_does_not_count(expected: str, question: str, text: str) -> None:
    assert not holds(expected, text, question)


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Corporate bonds",
        "Lower marketing expenses in FY2023. This assumes the 12 months ended on January 28, 2023.",
        "The opening of 47 new stores explains it.",
        "It was in 2019",
    ],
)
def test_an_answer_of_words_expects_no_figure(answer: str) -> None:
    assert expected_figure(answer, question="What drove it?") is None


@given(st.integers(1, 10**7), st.sampled_from(["{:,}", "{}", "({:,})", "$ {:,}"]))
def test_a_figure_holds_itself_however_it_is_written(value: int, form: str) -> None:
    if 1900 <= value <= 2099:
        return
    assert holds(f"${value}.00", f"Total {form.format(value)} and more", IN_MILLIONS)
