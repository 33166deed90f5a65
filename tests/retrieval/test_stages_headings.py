from __future__ import annotations

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.contracts import WeightedTerm
from apps.retrieval.optional.headings import Heading, score_headings
from tests.retrieval.stored import weighted

WORDS = st.frozensets(st.sampled_from(["risk", "capital", "fund", "alpha", "report", "drawdown", "2024"]), max_size=4)
HEADINGS = st.lists(
    st.builds(
        lambda fields, passages: Heading(fields=tuple(fields), passages=passages), st.lists(WORDS), st.integers(1, 9)
    ),
    max_size=8,
)


def heading(*fields: str, passages: int = 1) -> Heading:
    return Heading(fields=tuple(frozenset(field.split()) for field in fields), passages=passages)


def scores(headings: list[Heading], *words: str, k1: float = 1.2, b: float = 0.75) -> tuple[float, ...]:
    return score_headings(headings, weighted(*words), k1=k1, b=b)


def test_formula() -> None:
    found = scores([heading("risk"), heading("capital report", passages=3)], "risk")
    mean = (1 * 1 + 3 * 2) / 4
    expected = log(1 + (4 - 1 + 0.5) / (1 + 0.5)) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 1 / mean))
    assert found == (pytest.approx(expected, abs=1e-9), 0.0)


def test_a_word_in_two_fields_counts_twice() -> None:
    twice, once = scores([heading("alpha", "alpha risk"), heading("alpha", "fund risk")], "alpha")
    assert twice > once > 0


def test_a_word_over_few_passages_says_more_than_one_over_many() -> None:
    rare, frequent = scores([heading("risk"), heading("report", passages=50)], "risk", "report")
    assert rare > frequent


def test_of_two_headings_that_name_what_is_asked_the_shorter_comes_first() -> None:
    short, long = scores([heading("drawdown"), heading("drawdown of alpha fund and report")], "drawdown")
    assert short > long


def test_the_weight_of_a_term_is_the_weight_of_its_score() -> None:
    half = WeightedTerm(term="risk", weight=0.5, source="glossary")
    assert score_headings([heading("risk")], (half,), k1=1.2, b=0.75)[0] == pytest.approx(
        scores([heading("risk")], "risk")[0] / 2, abs=1e-9
    )


def test_without_words_over_them_passages_have_no_score() -> None:
    assert scores([], "risk") == ()
    assert scores([heading("")], "risk") == (0.0,)


@pytest.mark.slow
@given(HEADINGS, st.randoms(use_true_random=False))
def test_neither_the_order_of_headings_nor_that_of_terms_changes_a_score(
    headings: list[Heading], shuffler: object
) -> None:
    words = ["risk", "capital", "drawdown"]
    assert scores(headings[::-1], *words[::-1]) == scores(headings, *words)[::-1]
