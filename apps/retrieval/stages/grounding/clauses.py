"""Which words of a sentence belong to which of its figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.filings.text.bindings import is_year
from apps.filings.text.numbers import Number, read_numbers
from apps.retrieval.stages.grounding.wording import blank_places, word_terms

_BREAK: Final = re.compile(
    r"[,;:()]|\u2014|\s\u2013\s|\b(?:and|while|whereas|but|compared|versus|vs|against|from|than|after|down|up|und|w\u00e4hrend"
    r"|gegen\u00fcber|nach|von)\b",
    re.IGNORECASE,
)


_IN_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """The words around a figure: before it, from the figure before or the break behind that, and behind it.

    first: whether no figure stands before it in its sentence.
    """

    before: str
    behind: str
    first: bool

    @property
    def text(self) -> str:
        return f"{self.before} {self.behind}"


def read_clauses(sentence: str, numbers: Sequence[Number]) -> dict[Number, Clause]:
    """Return the clause of each figure of a sentence. Years are no figures.

    "2,684 million in revenue and 297 million in operating income": what stands between two figures is cut at the first
    break; without one it belongs to both.
    """
    figures = [number for number in numbers if not is_year(number)]
    found: dict[Number, Clause] = {}
    for index, number in enumerate(figures):
        previous = figures[index - 1].end if index else 0
        following = figures[index + 1].start if index + 1 < len(figures) else len(sentence)
        before, behind = sentence[previous : number.start], sentence[number.end : following]
        if index and (own := _IN_BRACKETS.match(before)):
            # "188 (Q2 2024) and 211 (Q1 2024)": what stands in brackets is of the figure before.
            before = before[own.end() :]
        if index and (cut := _BREAK.search(before)):
            before = before[cut.start() :]
        own = _IN_BRACKETS.match(behind)
        if cut := _BREAK.search(behind, own.end() if own else 0):
            behind = behind[: cut.start()]
        found[number] = Clause(before=before, behind=behind, first=index == 0)
    return found


def clause_words(clause: Clause, language: str) -> frozenset[str]:
    """Return the words of a clause, without the names of statements."""
    return frozenset(word_terms(blank_places(clause.text), language))


def clauses_of(piece: str, language: str) -> dict[Number, Clause]:
    """Return the clauses of the figures of a sentence of a source."""
    return read_clauses(piece, read_numbers(piece, language))
