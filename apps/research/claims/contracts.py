"""What a text claims, and what became of each claim. Positions count characters of the text as it was sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.filings.periods import Period
from apps.filings.text.numbers import Number


class ClaimSort(StrEnum):
    METRIC = "metric"
    CHANGE = "change"
    COMPARISON = "comparison"
    SUPERLATIVE = "superlative"
    EVENT = "event"
    ATTRIBUTION = "attribution"
    STATEMENT = "statement"
    FORWARD_LOOKING = "forward_looking"
    OPINION = "opinion"


class Verdict(StrEnum):
    CONFIRMED = "confirmed"
    MOSTLY_ACCURATE = "mostly_accurate"
    PARTIALLY_SUPPORTED = "partially_supported"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"
    NOT_CHECKABLE = "not_checkable"


class Doubt(StrEnum):
    """Why a claim is not compared with facts. It is said, and nothing is guessed."""

    FORWARD_LOOKING = "It is about the future."
    OPINION = "It is an opinion."
    HIDDEN_ORDER = "It has characters that change the order in which it is shown."
    NO_COMPANY = "It does not say which company it is about."
    SEVERAL_COMPANIES = "It may be about more than one company."
    OTHER_COMPANY = "It names something of which no document is held here."
    NO_MEASURE = "It names no measure that is known."
    QUALIFIED = "It qualifies the measure in a way that no held figure does."
    NO_PERIOD = "It does not say of which period."
    SEVERAL_PERIODS = "It may be about more than one period."
    CALENDAR_YEAR = "It speaks of calendar years, and the company's fiscal year is another."
    LOOSE_NUMBER = "It has a number whose meaning is not clear."
    SEPARATORS = "Its number reads otherwise with the separators of the other language."
    SEVERAL_FIGURES = "More than one figure is held under this name."


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """A period as a claim states it. ends_on: the day that it names; None if it names none."""

    period: Period
    ends_on: date | None = None
    calendar: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One claim: text[start:end]; number_start, number_end: its number's place there, equal if it has none.

    other: the company that it is compared with. concept: in the vocabulary. measure: what the text calls it.
    part: the segment or region. when, base: its period, and that with which it is compared.
    upper: the end of a range. sign: -1 if its words make its number negative, as a loss does; 0 if they do not.
    direction: 1 up, -1 down, 0 unchanged; None for none. negated: it says that this is not so.
    leeway: 0 exact; "about" is 2; at least and at most are 1 and -1.
    extreme: 1 highest, -1 lowest. since: the first year of those meant; None for all that are held.
    """

    sort: ClaimSort
    start: int
    end: int
    text: str
    sentence: int
    language: str
    company: str = ""
    other: str = ""
    concept: str = ""
    measure: str = ""
    part: str = ""
    when: When | None = None
    base: When | None = None
    number: Number | None = None
    upper: Number | None = None
    number_start: int = 0
    number_end: int = 0
    sign: int = 0
    direction: int | None = None
    negated: bool = False
    leeway: int = 0
    extreme: int = 0
    since: int | None = None
    doubt: Doubt | None = None
    named: str = ""

    @property
    def is_checkable(self) -> bool:
        return self.doubt is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A fact that a verdict stands on, with its place."""

    company: str
    concept: str
    label: str
    period: str
    value: Decimal
    printed: str
    column: str
    document_id: UUID
    document_title: str
    page: int
    row_start: int
    row_end: int
    cell_start: int
    cell_end: int
    quote: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A passage that is close to a claim in words. same: how much of the claim's words it has, 0 to 1."""

    document_id: UUID
    document_title: str
    page: int
    quote: str
    same: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What was looked through for a claim."""

    companies: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    periods: tuple[str, ...] = ()
    facts: int = 0
    passages: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What became of a claim.

    reason: in a sentence. expression: over the operands, as "4,655 / 4,210 - 1 = 10.6 %"; empty if nothing was held.
    correct: what would stand in the place of the claim's number, in its own scale; empty unless contradicted.
    intent: by which the policy decided what could be read for it; empty for one that no intent recognises.
    """

    claim: Claim
    verdict: Verdict
    reason: str
    expression: str = ""
    operands: tuple[Operand, ...] = ()
    passages: tuple[Passage, ...] = ()
    searched: Searched = Searched()
    correct: str = ""
    suggestion: str = ""
    intent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What sentences of one intent may be held against. withheld: the kinds that the policy keeps from the intent."""

    intent: str
    label: str
    permitted: tuple[Kind, ...]
    withheld: tuple[Kind, ...]
