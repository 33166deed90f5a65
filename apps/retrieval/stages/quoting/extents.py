"""Decide how much is quoted: a sentence with what makes it readable, or with all that stands around it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import Passage, Quote
from apps.retrieval.stages.ranking.units import Unit, split_units

SHORT_CHARS: Final = 100
"""A sentence shorter than this is quoted with the one before it, since it may not be readable alone."""
LONGEST_CHARS: Final = 600
MOST_FOLLOWING: Final = 3
LONGEST_PASSAGE_CHARS: Final = 800
"""Where nothing is claimed, a sentence is quoted with all that stands around it, up to so many characters."""


def apart(quotes: Iterable[Quote]) -> tuple[Quote, ...]:
    """Return the quotes without those that overlap an earlier one."""
    kept: list[Quote] = []
    for quote in quotes:
        if not any(quote.ref_id == each.ref_id and quote.start < each.end and each.start < quote.end for each in kept):
            kept.append(quote)
    return tuple(kept)


def readable(quote: Quote, passage: Passage) -> Quote:
    """Return the quote with the sentences that follow it, and the one before a short one, as far as they fit.

    What a sentence names is often said in the next one ("A purchase was approved. The price limit is 148."). Only
    sentences that the passage shows are added, never across a row of a table.
    """
    units, at = _shown_units(quote, passage)
    if at is None:
        return quote
    first = last = at
    is_short = quote.end - quote.start < SHORT_CHARS
    if is_short and at and _joins(units[at - 1], units[at], passage) and _is_sentence(units[at - 1], passage):
        first = at - 1
    for beside in range(at + 1, min(at + 1 + MOST_FOLLOWING, len(units))):
        if units[beside].end - units[first].start > LONGEST_CHARS or not _joins(
            units[beside - 1], units[beside], passage
        ):
            break
        last = beside
    return _from_to(quote, units[first], units[last], passage)


def with_surroundings(quote: Quote, passage: Passage) -> Quote:
    """Return a sentence with those around it, in turn one after it and one before it, as far as they fit."""
    units, at = _shown_units(quote, passage)
    if at is None:
        return quote
    first = last = at
    grows = True
    while grows:
        grows = False
        for start, end in ((first, last + 1), (first - 1, last)):
            joins = start >= 0 and end < len(units) and _joins(units[start], units[start + 1], passage)
            joins = joins and _joins(units[end - 1], units[end], passage)
            if joins and units[end].end - units[start].start <= LONGEST_PASSAGE_CHARS:
                first, last, grows = start, end, True
    return _from_to(quote, units[first], units[last], passage)


def _shown_units(quote: Quote, passage: Passage) -> tuple[list[Unit], int | None]:
    """Return the units that the passage shows, and which of them a quoted sentence begins with; None for a row."""
    units = [unit for unit in split_units(passage.chunk.text) if _is_shown(unit.start, unit.end, passage)]
    if quote.row is not None:
        return units, None
    return units, next((index for index, unit in enumerate(units) if unit.start == quote.start), None)


def _from_to(quote: Quote, first: Unit, last: Unit, passage: Passage) -> Quote:
    text = passage.chunk.text[first.start : last.end]
    return replace(quote, text=text, start=first.start, end=last.end)


def _joins(unit: Unit, following: Unit, passage: Passage) -> bool:
    return not unit.is_row and not following.is_row and _is_shown(unit.start, following.end, passage)


def _is_sentence(unit: Unit, passage: Passage) -> bool:
    return passage.chunk.text[unit.start : unit.end].endswith((".", "!", "?", ":", ";"))


def _is_shown(start: int, end: int, passage: Passage) -> bool:
    return any(excerpt.start <= start and end <= excerpt.end for excerpt in passage.excerpts)
