"""A sentence with all that was read of it, and one of its clauses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apps.filings.text.bindings import YearsBehind
from apps.filings.text.numbers import Number
from apps.research.claims.claimed_periods import Named
from apps.research.claims.contracts import Claim, Doubt, When
from apps.research.claims.plain_text import PlainSentence, PlainText
from apps.research.claims.subjects import Subjects


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """sentence[start:end]."""

    start: int
    end: int

    def holds(self, at: int) -> bool:
        return self.start <= at < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """A sentence with what was read of it.

    behind: the years behind its figures. companies: whom it may be about where it names none. when: its text's.
    """

    plain: PlainText
    sentence: PlainSentence
    number: int
    language: str
    figures: tuple[Number, ...]
    behind: YearsBehind
    periods: tuple[Named, ...]
    subjects: Subjects
    companies: tuple[str, ...]
    when: When | None

    @property
    def text(self) -> str:
        return self.sentence.text

    def claim(self, clause: Clause, *, number: Number | None = None, doubt: Doubt | None = None, **read: Any) -> Claim:
        """Return a claim of this sentence, in the places of the text as it was sent."""
        words = self.text[clause.start : clause.end]
        start = self.sentence.start + clause.start + len(words) - len(words.lstrip(" ,"))
        end = self.sentence.start + clause.end
        first, last = self.plain.place(start, max(end, start))
        at = (first, first)
        if number is not None:
            lead = self.text[number.start : number.end]
            begin = self.sentence.start + number.start + len(lead) - len(lead.lstrip())
            at = self.plain.place(begin, self.sentence.start + number.start + len(lead.rstrip()))
        return Claim(
            start=first,
            end=last,
            text=words.strip(" ,"),
            sentence=self.number,
            language=self.language,
            number=number,
            number_start=at[0],
            number_end=at[1],
            doubt=Doubt.HIDDEN_ORDER if self.sentence.hidden else doubt,
            **read,
        )
