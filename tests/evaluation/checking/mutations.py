"""The classes of wrong answers: each changes one thing of a true statement, and is proved false against the passages.

A candidate is kept only if what it says is another figure, period, name or direction than the tables give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Final

from tests.evaluation.checking import wrong_figures, wrong_words
from tests.evaluation.checking.bases import Base, Mutation
from tests.evaluation.checking.voice import Changes


def _predicate(base: Base, rng: Random) -> Iterator[Mutation]:
    for change in base.wrong:
        yield Mutation(changes=Changes(replaced=change))


_BY_CLASS: Final[Mapping[str, Callable[[Base, Random], Iterator[Mutation]]]] = {
    "digit": wrong_figures.digit,
    "year": wrong_words.year,
    "scale": wrong_figures.scale,
    "currency": wrong_figures.currency,
    "company": wrong_words.company,
    "direction": wrong_words.direction,
    "label": wrong_words.label,
    "predicate": _predicate,
    "neighbour": wrong_figures.neighbour,
    "sign_unit": wrong_figures.sign_unit,
    "comparison": wrong_words.comparison,
}
CLASSES: Final = tuple(_BY_CLASS)


def mutations(base: Base, class_: str, rng: Random) -> list[Mutation]:
    """Return candidates of a class in random order; empty if the answer offers none."""
    found = list(_BY_CLASS[class_](base, rng))
    rng.shuffle(found)
    return found
