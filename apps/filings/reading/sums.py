"""Find which rows of a statement's column a total is the sum of.

Rows are laid on a stack from the top of the statement down. A total takes the rows off that it is the sum of, and takes
their place: "total assets" finds "total current assets" there and not its parts. In an income statement costs are
printed with a sign or without, so that a result may be the first row less the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import ReadFact
from apps.filings.reading.agreement import rounding_of

_TOTALS: Final = re.compile(
    r"\btotal\b|^(?:net\s+)?cash\b.*\b(?:operati(?:ng|ons)|investing|financing)\b|\bnet\s+(?:increase|decrease|change)\b|\bsumme\b"
    r"|\bgesamt|\bend\s+of\b|\bbilanzsumme|cash\s?flow\s+aus|am\s+ende",
    re.IGNORECASE,
)
_NET: Final = re.compile(r"\bnet\b|\bnetto\b", re.IGNORECASE)
_RESULTS: Final = re.compile(
    r"\bgross\s+(?:profit|margin)|\b(?:income|earnings|profit|loss|margin|revenues?|result|expenses?)\b|ergebnis|\u00fcberschuss"
    r"|fehlbetrag|rohertrag|bruttoergebnis|aufwendungen",
    re.IGNORECASE,
)
_COSTS: Final = re.compile(
    r"\b(?:costs?|expenses?|tax(?:es)?|provision|depreciation|amorti[sz]ation|impairment|loss(?:es)?|charges?|selling|marketing"
    r"|research|development|administrative|attributable)\b|aufwand|aufwendung|kosten|steuer|abschreibung",
    re.IGNORECASE,
)
_MOST_ROWS: Final = 60
_MOST_ROWS_OF_A_RESULT: Final = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSum:
    """A total and the rows that add up to it: their places in the column. is_difference: the first less the others."""

    total: int
    parts: tuple[int, ...]
    is_difference: bool


def find_sums(facts: Sequence[ReadFact], statement: str) -> list[FoundSum]:
    """Return the sums that hold in one column. Args: facts: of money, from the top down."""
    stack: list[int] = []
    found: list[FoundSum] = []
    for at, fact in enumerate(facts):
        if may_be_total(fact, statement) and (each := _sum_to(facts, stack, at, statement)) is not None:
            found.append(each)
            del stack[len(stack) - len(each.parts) :]
        stack.append(at)
    return found


def may_be_total(fact: ReadFact, statement: str) -> bool:
    """Return whether a row may be the sum of others above it, by what it is called."""
    if not fact.label or _TOTALS.search(fact.label):
        return True
    if statement == Statement.BALANCE_SHEET:
        return _NET.search(fact.label) is not None
    return statement == Statement.INCOME_STATEMENT and _RESULTS.search(fact.label) is not None


def tolerance_of(facts: Sequence[ReadFact], parts: int) -> Decimal:
    """Return by how much a sum of so many rounded figures may be off: a digit, or two where there are many."""
    return max(map(rounding_of, facts)) * (2 if parts >= 8 else 1)


def _sum_to(facts: Sequence[ReadFact], stack: Sequence[int], at: int, statement: str) -> FoundSum | None:
    total = facts[at].value
    if not total:
        return None
    rounding = rounding_of(facts[at])
    of_results = statement == Statement.INCOME_STATEMENT
    is_net = statement == Statement.BALANCE_SHEET and _NET.search(facts[at].label) is not None
    near: FoundSum | None = None
    rest = by_label = Decimal(0)
    most = _MOST_ROWS_OF_A_RESULT if of_results else _MOST_ROWS
    for count in range(1, min(len(stack), most) + 1):
        first = facts[stack[-count]]
        sums = [(False, first.value + rest)]
        less = count == 2 and facts[stack[-1]].label.lower().startswith("less")
        if count > 1 and (of_results or is_net or less):
            sums.append((True, first.value - rest))
            if of_results:
                sums.append((True, first.value + by_label))
        for is_difference, value in sums:
            off = abs(value - total)
            if off <= rounding * (2 if count >= 8 else 1) and not (count == 1 and (off or of_results)):
                each = FoundSum(total=at, parts=tuple(stack[-count:]), is_difference=is_difference)
                if not off:
                    return each
                near = near or each
        rest += first.value
        by_label += -first.value if _COSTS.search(first.label) else first.value
        if not of_results and count > 1 and facts[stack[-count]].group != facts[at].group and near is not None:
            break
    return near
