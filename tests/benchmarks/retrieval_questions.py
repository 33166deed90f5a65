"""Seeded questions for the benchmark of retrieval: of every intent, one tenth German, one tenth that none recognises.

Half of them name a company or fund and a period, which become filters; the others search all that is in reach, which
takes longest. Words drawn from the reports' vocabulary make each a text of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from tests.benchmarks.retrieval_reports import COMPANIES, FIGURES, FUNDS, GERMAN_FIGURES, SEGMENTS, YEARS, words

NAMED: Final = (
    "What was the {figure} of {company} in {year}?",
    "How much {figure} did {company} report for {segment} in Q{quarter} {year}?",
    "What was the maximum drawdown of the {fund} in Q{quarter} {year}?",
    "How did the {figure} of {company} change from fiscal {year} to the year after, and why?",
    "What does the balance sheet of {company} for {year} show as total assets, beside {words}?",
)
UNNAMED: Final = (
    "Which limits apply to a single issuer where {words} is concerned?",
    "How do we calculate the {figure} of {segment} with regard to {words}?",
    "Why did the portfolio lose when {words} rose, and what contributed most?",
    "Draft a commentary on {words} and the {figure} in our house style.",
    "May we offer the fund to retail clients where {words} matters?",
    "What was the {figure} that was reported for {segment} after {words}?",
)
GERMAN: Final = (
    "Wie hoch war der {german} der Lindenauer Werke AG im Geschäftsjahr {year}?",
    "Welche Anlagegrenzen gelten für einzelne Emittenten, wenn es um {words} geht?",
    "Wie wird der {german} im Segment {segment} berechnet, und was heißt {words}?",
    "Warum fiel der {german} im Segment {segment} im Jahr {year}?",
)
UNRECOGNISED: Final = (
    "Will it rain in {words} at the weekend?",
    "Tell me a joke about {words} and a penguin.",
    "Who won the {words} match on Sunday?",
    "Which recipe goes well with {words}?",
)
GROUPS: Final[Mapping[str, Sequence[str]]] = {
    "names company and period": NAMED,
    "names neither": UNNAMED,
    "German": GERMAN,
    "unrecognised": UNRECOGNISED,
}
# Of ten questions, one after the other.
_TURNS: Final = tuple(
    group
    for group, count in zip(GROUPS, (5, 3, 1, 1), strict=True)
    for _ in range(count)
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    text: str
    group: str


def questions(count: int, *, seed: int) -> list[Asked]:
    """So many questions in an order of chance, the same for the same seed."""
    chance = random.Random(seed)
    found = list(islice(_endless(chance), count))
    chance.shuffle(found)
    return found


def _endless(chance: random.Random) -> Iterator[Asked]:
    while True:
        for group in _TURNS:
            yield Asked(text=_filled(chance.choice(GROUPS[group]), chance), group=group)


def _filled(template: str, chance: random.Random) -> str:
    blanks: Mapping[str, Callable[[], object]] = {
        "figure": lambda: chance.choice(FIGURES),
        "german": lambda: chance.choice(GERMAN_FIGURES),
        "company": lambda: chance.choice(COMPANIES).name,
        "fund": lambda: chance.choice(FUNDS).name,
        "segment": lambda: chance.choice(SEGMENTS),
        "year": lambda: chance.choice(YEARS),
        "quarter": lambda: chance.randint(1, 3),
        "words": lambda: " ".join(words(chance, chance.randint(2, 5))),
    }
    return template.format(**{name: fill() for name, fill in blanks.items()})
