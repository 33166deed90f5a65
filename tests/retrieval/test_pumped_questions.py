"""How long a question's form and formula take to read where something is repeated up to the longest question read."""

from __future__ import annotations

import time
from typing import Final

import pytest

from apps.retrieval.stages.figures.calculating.definitions import read_definition
from apps.retrieval.stages.figures.calculating.forms import read_forms
from tests.retrieval.builders import analysed

LONGEST: Final = 600
MOST_SECONDS: Final = 0.5
REPEATED: Final = (
    *(", ", "a ", "a, ", "( ", "(a ", "(a + b) ", ") ", "/ ", "a / b ", "= ", "a = ", ": ", "- ", "$ ", "1,"),
    *("and ", "und ", "a and ", "less ", "a less b ", "over ", "a over ", "more ", "than ", "more than ", "as % of "),
    *("between ", "between a and ", "excess of a ", "sum of a ", "take a ", "for my a ", "in ", "share of a ", "vs "),
    *("FY22 ", "22/23 ", "2022, ", "fiscal 2022, ", "31.12.2024 ", "Dec 2024, ", "365 x "),
    *("legte ", "nahm ", "ging ", "wachstum", "um wie viel \u00fcbersteigt ", "die A ", "Differenz a zu ", "als "),
)


@pytest.mark.parametrize("beginning", ["", "Did ", "What is "])
@pytest.mark.parametrize("repeated", REPEATED)
def test_a_question_in_which_something_is_repeated_takes_no_time(beginning: str, repeated: str) -> None:
    # Blanks that follow one another are one when a question is read (stages/question/validate.py).
    text = " ".join(f"{beginning}{repeated * LONGEST}"[: LONGEST - 1].split())
    analysis = analysed(text)
    taken = []
    for _ in range(3):
        begun = time.process_time()
        read_forms(analysis)
        read_definition(text)
        taken.append(time.process_time() - begun)
        if taken[-1] <= MOST_SECONDS:
            return
    pytest.fail(f"{min(taken):.1f} s")
