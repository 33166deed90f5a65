"""What must fire fires however it is written, and what must not doesn't."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.intents.profile.matching import WORDS_BETWEEN, find_rules
from tests.intents.profile.rules import EVASIONS, FILLERS, WORDS, fillers, watching


def fires(text: str, *terms: str) -> bool:
    return bool(find_rules(text, [watching(*terms)]))


@pytest.mark.parametrize("evasion", EVASIONS)
@settings(max_examples=40, deadline=None)
@given(word=st.sampled_from(WORDS), before=fillers, after=fillers)
def test_a_word_is_found_however_it_is_written(evasion: str, word: str, before: list[str], after: list[str]) -> None:
    text = " ".join((*before, EVASIONS[evasion](word), *after))
    assert fires(text, word), text


@pytest.mark.parametrize("evasion", EVASIONS)
@settings(max_examples=40, deadline=None)
@given(
    phrase=st.lists(st.sampled_from(WORDS), min_size=2, max_size=3, unique=True),
    between=st.lists(st.sampled_from(FILLERS), max_size=WORDS_BETWEEN),
    data=st.data(),
)
def test_a_phrase_is_found_in_any_order_with_few_words_between(
    evasion: str, phrase: list[str], between: list[str], data: st.DataObject
) -> None:
    first, *rest = data.draw(st.permutations(phrase))
    text = " ".join((EVASIONS[evasion](first), *between, *(EVASIONS[evasion](each) for each in rest)))
    assert fires(text, " ".join(phrase)), text


@settings(max_examples=200, deadline=None)
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True), text=st.data())
def test_a_text_without_all_words_of_a_phrase_is_let_pass(words: list[str], text: st.DataObject) -> None:
    others = [word for word in WORDS if word != words[-1]]
    said = " ".join(text.draw(st.lists(st.sampled_from([*others, *FILLERS]), max_size=12)))
    assert not fires(said, " ".join(words)), said


@given(st.lists(st.sampled_from(FILLERS), min_size=WORDS_BETWEEN + 1, max_size=12))
def test_words_that_stand_far_apart_are_no_phrase(between: list[str]) -> None:
    assert not fires(" ".join(("bitcoin", *between, "pension")), "bitcoin pension")


@given(st.text(max_size=200), st.sampled_from(WORDS))
@settings(max_examples=200, deadline=None)
def test_any_text_is_read_twice_alike_and_never_fails(text: str, word: str) -> None:
    rules = [watching(word), watching(text[:120] or "x")]
    assert find_rules(text, rules) == find_rules(text, rules)


@given(st.text(min_size=1, max_size=100))
@settings(max_examples=200, deadline=None)
def test_words_that_are_named_stand_in_the_text(text: str) -> None:
    fired = find_rules(f"{text} bitcoin {text}", [watching("bitcoin")])
    assert fired
    assert all("bitcoin" in words.casefold() or not words.isascii() for words in fired[0].words[:1])


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("tax advice", "advice on taxes"),
        ("tax advice", "TAXADVICE"),
        ("Vermögensverwaltung", "Vermoegensverwaltungen"),
        ("Vermoegen", "unser Vermögen"),
        ("krypto*", "Kryptowährungsfonds"),
        ('"Global Growth"', "the Global-Growth fund"),
        ('"Global Growth"', "GLOBAL  GROWTH"),
        ("Global Growth", "the GIobal growth fund"),  # a capital I for l
        ("M1 fund", "our m1 funds"),
        ("кредит", "КРЕДИТЫ? Кредит."),
        ("straße", "STRASSE"),
        ("bitcoin", "\U0001f171itcoin"),
        ("bitcoin", "b1tc0in"),
    ],
)
def test_what_must_fire(term: str, text: str) -> None:
    assert fires(text, term)


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("bail", "a ball"),
        ("ball", "on bail"),
        ("tax", "taxi"),
        ("tax", "syntax"),
        ("loan", "Sloan"),
        ("set", "as etc"),
        ('"Global Growth"', "growth of the global fund"),
        ('"Global Growth"', "global and growth"),
        ("krypto*", "Kryptonit-freie"[:5]),
        ("crypto", ""),
        ("option", "adoption"),
    ],
)
def test_what_must_not_fire(term: str, text: str) -> None:
    assert not fires(text, term)


def test_each_rule_says_by_which_words_it_fired() -> None:
    fired = find_rules("Any advice on our taxes, or on b\u200bitcoin?", [watching("tax advice"), watching("bitcoin")])
    assert [each.words for each in fired] == [("advice on our taxes",), ("bitcoin",)]


def test_a_long_answer_is_read_in_a_moment_by_many_rules() -> None:
    """Measured: 0.5 s for 54,000 characters and 1,000 phrases. Each stem is looked up, not each rule's words."""
    rules = [watching(*(f"word{rule} thing{term}" for term in range(20))) for rule in range(50)]
    began = time.perf_counter()
    assert not find_rules("the report says what the fund does " * 1_500, rules)
    assert time.perf_counter() - began < 10
