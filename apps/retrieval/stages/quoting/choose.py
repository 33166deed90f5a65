"""Choose what is quoted, and say what was asked for and is not in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.retrieval.contracts import AnswerKind, ContextBlock, FilterField, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import Lack
from apps.retrieval.stages.grounding.subject import list_held_periods, unknown_names, unknown_periods
from apps.retrieval.stages.quoting.rate import RatedPiece
from apps.retrieval.stages.ranking.units import Unit, split_units

NEAR_SHARE: Final = 0.6
"""A further quote must have at least this share of the confidence in the best one."""
SHORT_CHARS: Final = 100
"""A sentence shorter than this is quoted with the one before it, since it may not be readable alone."""
LONGEST_CHARS: Final = 600
MOST_FOLLOWING: Final = 3
FORM_NEEDED: Final = 0.3
"""A piece whose form fits less than this is no answer: a question for a date is not answered without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is quoted, best first.

    confidence: that of the best piece, 0 to 1. missing: what was asked for and is not there, in words. fits: whether
    the best piece may be the answer, so that nothing structural speaks against it.
    """

    quotes: tuple[Quote, ...]
    confidence: float
    missing: tuple[str, ...]
    fits: bool


def choose(
    rated: Sequence[RatedPiece], analysis: QueryAnalysis, context: ContextBlock, kind: AnswerKind, *, most: int
) -> Chosen | None:
    """Choose the best pieces, first one of each passage; None if no piece is about anything that was asked.

    Args: rated: best first. most: pieces in one answer.
    """
    pieces = [each for each in rated if not each.is_heading]
    if not pieces:
        return None
    best = pieces[0]
    bar = NEAR_SHARE * best.confidence
    near = [each for each in pieces if each.confidence >= bar]
    firsts: dict[int, RatedPiece] = {}
    for each in near:
        firsts.setdefault(each.passage, each)
    ordered = [*firsts.values(), *(each for each in near if each is not firsts[each.passage])][:most]
    quotes = _apart(_readable(each.quote, context.passages[each.passage]) for each in ordered)
    unheld = _unheld(analysis, context)
    missing = (*unheld, *_missing(best, analysis, context, kind))
    return Chosen(
        quotes=tuple(quotes),
        confidence=best.confidence,
        missing=tuple(dict.fromkeys(missing)),
        fits=best.lack is None and best.fit >= FORM_NEEDED and not unheld,
    )


def _unheld(analysis: QueryAnalysis, context: ContextBlock) -> tuple[str, ...]:
    names = (f"“{name}”" for name in unknown_names(analysis, context))
    periods = (period.label for period in unknown_periods(analysis, context))
    return (*names, *periods)


KINDS_IN_WORDS: Final = {
    AnswerKind.NUMBER: "a number",
    AnswerKind.DATE: "a date",
    AnswerKind.DURATION: "a length of time",
    AnswerKind.NAME: "a name",
}


def _missing(best: RatedPiece, analysis: QueryAnalysis, context: ContextBlock, kind: AnswerKind) -> Iterator[str]:
    """Yield what the best piece lacks, in words."""
    if best.lack is Lack.COMPANY:
        yield " or ".join(
            value for each in analysis.filters if each.field is FilterField.COMPANY for value in each.values
        )
    if best.lack is Lack.FIGURE:
        yield from (f"“{figure.text}”" for figure in analysis.figures)
    if best.lack is Lack.PERIOD and not unknown_periods(analysis, context):
        held = ", ".join(list_held_periods(context.passages))
        asked = " or ".join(period.label for period in analysis.periods)
        yield f"{asked} (they cover {held})" if held else asked
    if (best.lack is Lack.NUMBER or best.fit < FORM_NEEDED) and kind in KINDS_IN_WORDS:
        yield KINDS_IN_WORDS[kind]


def _apart(quotes: Iterable[Quote]) -> list[Quote]:
    """Return the quotes without those that overlap an earlier one."""
    kept: list[Quote] = []
    for quote in quotes:
        if not any(quote.ref_id == each.ref_id and quote.start < each.end and each.start < quote.end for each in kept):
            kept.append(quote)
    return kept


def _readable(quote: Quote, passage: Passage) -> Quote:
    """Return the quote with the sentences that follow it, and the one before a short one, as far as they fit.

    What a sentence names is often said in the next one ("A purchase was approved. The price limit is 148."). Only
    sentences that the passage shows are added, never across a row of a table.
    """
    if quote.row is not None:
        return quote
    units = [unit for unit in split_units(passage.chunk.text) if _is_shown(unit.start, unit.end, passage)]
    at = next((index for index, unit in enumerate(units) if unit.start == quote.start), None)
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
    start, end = units[first].start, units[last].end
    return replace(quote, text=passage.chunk.text[start:end], start=start, end=end)


def _joins(unit: Unit, following: Unit, passage: Passage) -> bool:
    return not unit.is_row and not following.is_row and _is_shown(unit.start, following.end, passage)


def _is_sentence(unit: Unit, passage: Passage) -> bool:
    return passage.chunk.text[unit.start : unit.end].endswith((".", "!", "?", ":", ";"))


def _is_shown(start: int, end: int, passage: Passage) -> bool:
    return any(excerpt.start <= start and end <= excerpt.end for excerpt in passage.excerpts)
