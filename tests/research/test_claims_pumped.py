"""How long a check reads where something is repeated: no pattern and no loop may grow as its square."""

from __future__ import annotations

from itertools import product
from typing import Final

import pytest

from apps.research.claims.check import MAXIMUM_CHARS, MAXIMUM_SENTENCE_CHARS, MAXIMUM_SENTENCES
from apps.research.claims.contracts import Doubt
from apps.research.claims.plain_text import read_plain
from apps.research.claims.read import MAXIMUM_FIGURES, read_claims, read_text
from tests.filings.test_pumped_texts import MOST_SECONDS, tries
from tests.research.measuring import held_of
from tests.research.sample_facts import entries_of
from tests.research.velden import checked, velden_facts

BEGINNINGS: Final = ("", "Velden's revenue rose by ", '"')
REPEATED: Final = (
    *(
        " ",
        " \n",
        "a ",
        "a",
        "A ",
        "1 ",
        "$1 million and ",
        "1 in 2024 and ",
        "2024 ",
        "to ",
        "to about ",
        "from ",
        "by ",
    ),
    *(
        ", while ",
        ".",
        ". ",
        "Inc. ",
        '"a" ',
        '"' + "a" * 20 + '" ',
        "January 1 ",
        "H1 ",
        "a;b ",
        "\u202ea.\n",
        "\u2028",
    ),
)
_FURTHEST_S: Final = 2 * MOST_SECONDS
"""A whole text is twelve times as long as those of the other readers."""


def pumped(beginning: str, repeated: str, length: int) -> str:
    return f"{beginning}{repeated * ((length - len(beginning)) // len(repeated))}"


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_the_longest_text_is_split_in_no_time(beginning: str) -> None:
    texts = {each: pumped(beginning, each, MAXIMUM_CHARS) for each in REPEATED}
    slow = {each for each, text in texts.items() if all(spent > _FURTHEST_S for spent in tries(read_text, text))}
    assert slow == set()


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_the_longest_sentence_is_read_in_no_time(beginning: str) -> None:
    facts = velden_facts()
    held = held_of(facts, entries_of(facts))
    slow = set()
    for repeated in REPEATED:
        read = read_text(pumped(beginning, repeated, MAXIMUM_SENTENCE_CHARS))
        if len(read.sentences) > MAXIMUM_SENTENCES:
            continue
        spent = tries(lambda _: read_claims(read, lambda _: held), "")  # noqa: B023
        if all(each > MOST_SECONDS for each in spent):
            slow.add(repeated)
    assert slow == set()


@pytest.mark.parametrize("blanks", [" ", "   ", "\u00a0\u00a0", " " * 500])
def test_blanks_change_nothing_but_places(blanks: str) -> None:
    text = f"Velden Cranes reported revenue{blanks}of{blanks}$4,471 million in fiscal 2024."
    [found] = checked(text)
    assert found.verdict.value == "confirmed"
    assert text[found.claim.number_start : found.claim.number_end] == "$4,471 million"


def test_a_run_becomes_one_blank_and_keeps_its_place() -> None:
    plain = read_plain("One  two \n \n\n  three.")
    assert plain.text == "One two\n\n three."
    assert plain.place(plain.text.index("three"), len(plain.text)) == (15, 21)


@pytest.mark.parametrize(("count", "loose"), [(MAXIMUM_FIGURES, False), (MAXIMUM_FIGURES + 1, True)])
def test_a_sentence_with_too_many_figures_is_said_to_be_unclear_once(count: int, loose: bool) -> None:
    found = checked("Velden's revenue in 2024 was $4,471 million" + ", 12.5 %" * (count - 1) + ".")
    assert (len(found) == 1 and found[0].reason == Doubt.LOOSE_NUMBER.value) is loose


@pytest.mark.parametrize(
    ("word", "number"), list(product(("to", "to about", "at nearly"), ("$4,471 million", "€4,471 million")))
)
def test_a_number_is_tied_to_its_word_as_before(word: str, number: str) -> None:
    [change, value] = checked(f"Velden's revenue fell 4.0 % {word} {number} in 2024.")
    assert (change.verdict.value, value.claim.sort.value) == ("confirmed", "metric")
