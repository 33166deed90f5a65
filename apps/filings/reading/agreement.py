"""Let the statements have the last word on figures that other tables print of the same thing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.contracts import FactUnit, ReadFact

_MOST_STATED: Final = 8
_AGREES: Final = Decimal("0.9")
DOUBTFUL: Final = Decimal("0.3")
"""The confidence of a figure that is kept only if a statement has it, too."""


def keep_agreeing(facts: Sequence[ReadFact]) -> Iterator[ReadFact]:
    """Yield the facts without those of other tables that a statement contradicts.

    Such a figure is of a part of the group that its table does not name: the goodwill of one acquisition.
    """
    stated: dict[tuple[object, ...], list[ReadFact]] = defaultdict(list)
    for fact in facts:
        if fact.statement and fact.concept and not fact.dimension:
            said_of = stated[_key(fact)]
            if len(said_of) < _MOST_STATED:
                said_of.append(fact)
    split = _contradicting(facts)
    for fact in facts:
        if not fact.statement and not fact.concept:
            # Known by its label alone: nothing else is said to be the same.
            yield fact
            continue
        if not fact.statement and _own_key(fact) in split and not _is_of_all(fact, stated.get(_key(fact), ())):
            continue
        said = stated.get(_key(fact)) if not fact.statement and not fact.dimension and fact.consolidated else None
        if not said:
            if fact.statement or fact.confidence > DOUBTFUL:
                yield fact
        elif any(agree(fact, other) for other in said):
            yield replace(fact, confidence=max(fact.confidence, _AGREES))
        elif fact.restated:
            yield fact


def _contradicting(facts: Sequence[ReadFact]) -> set[tuple[object, ...]]:
    """Return what other tables print differently, without saying of which part of the group each figure is."""
    first: dict[tuple[object, ...], ReadFact] = {}
    split: set[tuple[object, ...]] = set()
    for fact in facts:
        if not fact.statement and fact.concept:
            other = first.setdefault(_own_key(fact), fact)
            if not agree(fact, other):
                split.add(_own_key(fact))
    return split


def _is_of_all(fact: ReadFact, stated: Sequence[ReadFact]) -> bool:
    return not fact.dimension and any(agree(fact, other) for other in stated)


def _own_key(fact: ReadFact) -> tuple[object, ...]:
    return (*_key(fact), fact.dimension, fact.consolidated, fact.restated)


def rounding_of(fact: ReadFact) -> Decimal:
    """Return the unit of the last digit that is printed."""
    return Decimal(1).scaleb((fact.exponent or 0) - fact.decimals)


def _key(fact: ReadFact) -> tuple[object, ...]:
    return (fact.concept, fact.fiscal_year, fact.fiscal_quarter, fact.months, fact.unit is FactUnit.PER_SHARE)


def agree(fact: ReadFact, other: ReadFact) -> bool:
    """Return whether two figures are the same but for their sign, which tables print differently, and rounding."""
    return abs(abs(fact.value) - abs(other.value)) <= max(rounding_of(fact), rounding_of(other)) / 2
