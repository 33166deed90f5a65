from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.intents.matching import index_words, matching_terms, words


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("How was it calculated?", "calculate"),
        ("Why did it fall?", "why"),
        ("What are the fund's returns?", "return"),
        ("Wie werden die Anlagegrenzen geprüft?", "Anlagegrenze"),
        ("The 10-K of 2019", "10-K"),
        ("In FY2018, what was it?", "FY####"),
        ("In FY 2018, what was it?", "FY ####"),
        ("WHAT IS THE NET ASSET VALUE?", "net asset value"),
        ("What is the \uff2e\uff21\uff36?", "NAV"),
    ],
)
def test_a_term_is_found_whatever_its_ending(question: str, term: str) -> None:
    assert matching_terms(index_words(question), [term]) == (term,)


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("The navigation was easy", "NAV"),
        ("value of the net assets", "net asset value"),
        ("FY20", "FY####"),
        ("Anything at all", "..."),
        ("Anything at all", ""),
        ("", "why"),
    ],
)
def test_a_term_is_not_found_in_parts_or_in_another_order(question: str, term: str) -> None:
    assert matching_terms(index_words(question), [term]) == ()


def test_a_term_inside_a_longer_match_does_not_count() -> None:
    assert matching_terms(index_words("What was the net return?"), ["return", "net return"]) == ("net return",)


def test_a_term_that_occurs_by_itself_too_counts() -> None:
    assert matching_terms(index_words("Is the net return a return?"), ["return", "net return"]) == (
        "return",
        "net return",
    )


def test_two_spellings_of_one_stem_count_once() -> None:
    assert matching_terms(index_words("How volatile was it?"), ["volatile", "volatility"]) == ("volatile",)


def test_words_keep_numbers_and_hyphens() -> None:
    assert words("Alice's 10-K, FY2018: 1.5 %") == ("alice", "10-k", "fy2018", "1.5")


@given(st.text(max_size=200), st.lists(st.text(max_size=20), max_size=6))
def test_only_given_terms_are_returned_each_once(question: str, terms: list[str]) -> None:
    found = matching_terms(index_words(question), terms)
    assert set(found) <= set(terms)
    assert len(found) == len(set(found))
