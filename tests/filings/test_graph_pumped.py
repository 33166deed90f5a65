"""How long the graph takes where something is repeated thousands of times: no pattern may grow as its square."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import product
from typing import Final

import pytest

from apps.corpus.extraction.contracts import Block, BlockKind, Page
from apps.corpus.reader.answers import ContradictionError
from apps.filings.graph.contracts import EntityType, ReadMention
from apps.filings.graph.derivation import check
from apps.filings.graph.reading import read_graph
from apps.filings.graph.regulations import regulations_in
from tests.filings.test_pumped_texts import LENGTH, MOST_SECONDS

BEGINNINGS: Final = ("", "Velden Cranes plc acquired ", "Ms. Jane Doe, our Chief ", "Section 4 of the ", '"Aa')
REPEATED: Final = (
    *(
        "Aa ",
        "Aa, ",
        "Aa and ",
        "Aa Ltd. ",
        "Aa Ltd. and ",
        "A. ",
        "Aa-",
        "Act ",
        "(A) ",
        "von ",
        "Aa (AB) ",
        '"Aa" ',
        "/s/ ",
    ),
    *("Ms. Aa Bb ", "Director, ", "GDPR ", "§ 1 ", "see Note 1 ", "$1 ", " ", "a", "\n", "Aa\u2122 "),
)


def page_of(text: str) -> Page:
    """Return a page that is one paragraph."""
    block = Block(kind=BlockKind.PARAGRAPH, text=text, char_start=0, char_end=len(text))
    return Page(number=1, text=text, blocks=(block,))


def seconds(page: Page) -> float:
    """Return the processor's seconds of the fastest of two tries."""
    return spent(lambda: read_graph([page], company="Velden Cranes plc", language="en"))


def spent(work: Callable[[], object]) -> float:
    tries = []
    for _ in range(2):
        begun = time.process_time()
        work()
        tries.append(time.process_time() - begun)
    return min(tries)


@pytest.mark.parametrize("beginning", BEGINNINGS)
def test_a_text_in_which_something_is_repeated_takes_no_time(beginning: str) -> None:
    texts = {repeated: f"{beginning}{repeated * (LENGTH // len(repeated))}\x01" for repeated in REPEATED}
    assert [repeated for repeated, text in texts.items() if seconds(page_of(text)) > MOST_SECONDS] == []


@pytest.mark.parametrize(("beginning", "repeated"), list(product(("Aa ", "Ms. "), ("Aa ", "Aa Ltd. and ", "Aa (AB) "))))
def test_a_longer_text_takes_so_much_longer(beginning: str, repeated: str) -> None:
    one, four = (page_of(beginning + repeated * times) for times in (1_000, 4_000))
    # Four times the text takes four times as long; sixteen times would be its square.
    assert seconds(four) < 9 * max(seconds(one), 0.02)


def test_many_regulations_take_so_much_longer() -> None:
    one, four = (spent(lambda: regulations_in("GDPR, " * times)) for times in (2_000, 8_000))  # noqa: B023
    assert four < 9 * max(one, 0.02)


@pytest.mark.parametrize("type", list(EntityType))
@pytest.mark.parametrize("repeated", ["Aa-", "GDPR ", "$1 ", "Aa Ltd. "])
def test_a_long_name_that_a_reader_sends_is_refused_in_no_time(type: EntityType, repeated: str) -> None:
    sent = ReadMention(type=type, key="person:aa", name=repeated * 100_000, page=1, start=0, end=len(repeated), times=1)

    def refuse() -> None:
        with pytest.raises(ContradictionError):
            check([sent], {1: page_of(repeated)}, "text/plain")

    assert spent(refuse) <= MOST_SECONDS
