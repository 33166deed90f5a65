"""Let one row of a statement's column have a concept, where several print different figures under its names."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.contracts import ReadFact
from apps.filings.reading.naming import clean_label
from apps.filings.vocabulary.concepts import concepts, fold_name

_UNKNOWN: Final = Decimal("0.9")


def name_one_row_each(facts: Sequence[ReadFact]) -> list[ReadFact]:
    """Return the facts, those of statements without a concept where another row has a better claim to it.

    The better claim has the row whose label stands first among the names of the concept. Rows with equal claims have
    none: two rows "Other" of one concept are parts of it.
    """
    rivals: dict[tuple[object, ...], list[int]] = defaultdict(list)
    for place, fact in enumerate(facts):
        if fact.statement and fact.concept:
            key = (fact.concept, fact.unit, fact.fiscal_year, fact.fiscal_quarter, fact.months, fact.dimension)
            rivals[(fact.statement, fact.page, fact.column, *key)].append(place)
    settled = list(facts)
    names: dict[str, list[str]] = {}
    for places in rivals.values():
        if len({facts[each].value for each in places}) < 2:
            continue
        claims = {place: _claim(facts[place], names) for place in places}
        best = min(claims.values())
        kept = {place for place in places if claims[place] == best}
        if len({facts[each].value for each in kept}) > 1:
            kept = set()
        for place in places:
            if place not in kept:
                fact = facts[place]
                settled[place] = replace(fact, concept="", confidence=min(fact.confidence, _UNKNOWN))
    return settled


def _claim(fact: ReadFact, names: dict[str, list[str]]) -> int:
    """Return the place of a label among the names of its concept; the last for one that was found another way."""
    if fact.concept not in names:
        concept = concepts()[fact.concept]
        names[fact.concept] = [fold_name(each) for each in (*concept.labels, *concept.asked)]
    called = names[fact.concept]
    own = {fold_name(fact.label), fold_name(clean_label(fact.label))}
    return next((at for at, name in enumerate(called) if name in own), len(called))
