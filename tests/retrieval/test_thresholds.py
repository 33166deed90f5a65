"""Questions whether a figure, or its change, is above or below an amount."""

from __future__ import annotations

import pytest

from apps.retrieval.stages.figures.calculating.thresholds import read_threshold
from apps.retrieval.stages.figures.calculating.work import calculate
from tests.retrieval.test_calculating import answered, read

ASKED = [
    ("Was Pawfield's net sales above EUR 60 million in 2024?", "Yes:"),
    ("Did Pawfield's net sales exceed 60 million in 2023?", "No:"),
    ("Were Pawfield's net sales at least EUR 57 million in 2023?", "Yes:"),
    ("Were Pawfield's net sales more than EUR 57 million in 2023?", "No:"),
    ("Was operating income at Pawfield below \u20ac0.008bn in 2023?", "Yes:"),
    ("Did Pawfield's dog kennels bring in over 40 million euros in 2024?", "Yes:"),
    ("Was Pawfield's occupancy under 80% in 2023?", "Yes:"),
    ("Did occupancy at Pawfield reach the 85 % mark in 2022?", "No:"),
    ("Did Pawfield's net sales grow by more than 5 % in 2024?", "Yes:"),
    ("Did Pawfield's net sales grow over 10 percent in 2024?", "No:"),
    ("Did Pawfield's cat houses fall by at least EUR 1 million in 2024?", "Yes:"),
    ("Did Pawfield's cat houses drop by more than 15 % in 2024?", "No:"),
    ("Did occupancy at Pawfield rise by more than 2 percentage points in 2024?", "Yes:"),
    ("Has Pawfield's operating income risen above EUR 9 million in 2024?", "Yes:"),
]


@pytest.mark.parametrize(("question", "verdict"), ASKED)
def test_a_figure_is_compared_with_the_amount(question: str, verdict: str) -> None:
    assert answered(question).startswith(verdict)


@pytest.mark.parametrize(
    "question",
    [
        "Was Pawfield's net sales above USD 60 million in 2024?",
        "Was Pawfield's net sales above 60 % in 2024?",
        "Was Pawfield's occupancy above EUR 60 million in 2024?",
        "Was Pawfield's net sales above 60 in 2024?",
        "Was Pawfield's net sales not above EUR 60 million in 2024?",
        "Were Pawfield's net sales above EUR 50 million and below EUR 70 million in 2024?",
        "Did occupancy at Pawfield rise by more than 2 % in 2024?",
        "Was Pawfield's occupancy higher than 0.8 in 2024?",
        "Did Pawfield's cat houses lose more than EUR 1 million in 2024?",
        "Was the increase in Pawfield's net sales above EUR 5 million in 2024?",
        "Did Pawfield's net sales exceed EUR 60 million in each of 2022, 2023 and 2024?",
    ],
)
def test_nothing_is_said_of_an_amount_that_cannot_be_compared(question: str) -> None:
    found = calculate(*read(question))
    assert found is None or not found.lines[0].startswith(("Yes", "No"))


def test_a_year_is_no_amount() -> None:
    assert read_threshold("Was it above 2021 in 2022?", "en") is None
    assert read_threshold("Was it above 2,021 in 2022?", "en") is not None
