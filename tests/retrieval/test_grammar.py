"""What is read of an English sentence, and what a statement says otherwise than its source."""

from __future__ import annotations

import gc
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.retrieval.stages.grounding.german_sense import turns_in_german
from apps.retrieval.stages.grounding.grammar.differences import find_difference
from apps.retrieval.stages.grounding.grammar.events import above, is_denied, is_event, is_passive, participants_of
from apps.retrieval.stages.question.parsing import Word, listed, load_model, parse


def _event(text: str, verb: str) -> Word:
    return next(each for each in parse(text) if each.lower == verb and is_event(each))


def _parts(text: str, verb: str) -> set[tuple[str, str]]:
    return {(word.text, part) for word, part in participants_of(_event(text, verb))}


@pytest.mark.parametrize(
    ("text", "verb", "parts"),
    [
        ("The auditor reviewed the report.", "reviewed", {("auditor", "subject"), ("report", "object")}),
        ("The report was reviewed by the auditor.", "reviewed", {("auditor", "subject"), ("report", "object")}),
        ("The lender sold the loan to the fund.", "sold", {("lender", "subject"), ("loan", "object"), ("fund", "to")}),
        ("The units that the fund holds are listed.", "holds", {("fund", "subject"), ("units", "object")}),
        (
            "Staff and directors report gifts.",
            "report",
            {("Staff", "subject"), ("directors", "subject"), ("gifts", "object")},
        ),
    ],
)
def test_who_takes_part(text: str, verb: str, parts: set[tuple[str, str]]) -> None:
    assert _parts(text, verb) == parts


def test_what_stands_above_an_event() -> None:
    over = [word.lemma for word, _ in above(_event("The Board refused to approve the merger.", "approve"))]
    assert over == ["refuse"]


def test_a_denial_and_a_passive() -> None:
    assert is_denied(_event("The Board did not approve the merger.", "approve"))
    assert is_denied(_event("No branches were closed.", "closed"))
    assert not is_denied(_event("The branches were closed.", "closed"))
    assert is_passive(_event("The branches were closed.", "closed"))
    assert not is_passive(_event("The bank closed branches.", "closed"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The subsidiary guarantees the parent.", "The parent guarantees the subsidiary."),
        ("The Board approved the merger.", "The Board refused to approve the merger."),
        ("The Group sold the division.", "The Group is considering the sale of the division."),
        ("The Board suspended redemptions.", "The Board may suspend redemptions."),
        ("The second valuation was completed.", "The valuation was completed."),
        ("Clients agreed.", "Most clients agreed."),
        ("Fees rose because customers left.", "Customers left because fees rose."),
        ("Reports are filed after the meeting.", "Reports are filed before the meeting."),
        ("Directors may only sign contracts.", "Only directors may sign contracts."),
        ("The officer must approve the trade and the order.", "The officer must approve the trade or the order."),
    ],
)
def test_a_difference_is_found(text: str, told: str) -> None:
    assert find_difference(text, told, "") != ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The subsidiary is guaranteed by the parent.", "The parent guarantees the subsidiary."),
        ("The merger was approved by the Board.", "The Board approved the merger."),
        ("The company says it sold the division.", "The company announced that it had sold the division."),
        ("Redemptions may be suspended by the Board.", "The Board may suspend redemptions."),
        ("Only directors may sign contracts.", "Contracts may be signed only by directors."),
        ("The fund no longer buys loans.", "The fund stopped buying loans."),
    ],
)
def test_other_words_are_no_difference(text: str, told: str) -> None:
    assert find_difference(text, told, "") == ""


def test_the_question_may_say_what_is_left_out() -> None:
    assert find_difference("Clients agreed.", "Most clients agreed.", "") != ""
    told = "The Board refused to approve the merger."
    assert find_difference("The merger.", told, "What did the Board refuse to approve?") == ""


def test_a_read_sentence_is_forgotten() -> None:
    word = "".join(Random().choices("bcdfghjklmnpqrstvwxz", k=14))
    assert parse(f"The {word} was sold to {word}s.")[1].text == word
    gc.collect()
    model = load_model()
    assert word not in model.vocab.strings
    held = [each for _, part in model.pipeline for each in gc.get_referents(part) if word in repr(each)]
    assert held == []
    assert model.get_pipe("lemmatizer").cache == {}


# Texts of these words have every relation that the comparison reads, in orders that nobody would write.
_WORDS = st.sampled_from(
    sorted(
        listed(
            "the a no not only most each every other than except excluding one two twice second fund funds board"
            " auditor claim month year must may will was were is be sold sell approve refused report holds to of"
            " by from until before and or because if that which who it 3 % , ; : . ( ) x/except - n't nor"
            " neither instead rather"
        )
    )
)
_TEXTS = st.one_of(st.lists(_WORDS, max_size=30).map(" ".join), st.text(max_size=80))


@settings(max_examples=150, deadline=None)
@given(text=_TEXTS, told=_TEXTS, asked=_TEXTS)
def test_no_text_breaks_the_comparison(text: str, told: str, asked: str) -> None:
    assert isinstance(find_difference(text, told, asked), str)
    assert turns_in_german(text, told, asked) in (True, False)


@pytest.mark.parametrize("part", ["of the fund ", "fund, ", "sold and ", "that said ", "(", "x/except"])
def test_neither_depth_nor_length_breaks_it(part: str) -> None:
    text = part * (1_900 // len(part))
    assert isinstance(find_difference(text, text, ""), str)
    assert find_difference(part * 2_001, "The fund sold.", "") == "too long to compare"
    assert turns_in_german(part * 400, part * 400, "") in (True, False)
