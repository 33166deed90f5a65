"""Choose what is quoted, and say what was asked for and is not in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.retrieval.contracts import AnswerKind, ContextBlock, Passage, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import Lack
from apps.retrieval.stages.grounding.subject import list_held_periods, unknown_names, unknown_periods
from apps.retrieval.stages.quoting.rate import RatedPiece
from apps.retrieval.stages.ranking.units import split_units

NEAR_SHARE: Final = 0.6
"""A further quote must have at least this share of the confidence in the best one."""
SHORT_CHARS: Final = 160
"""A sentence shorter than this is quoted with its neighbours, since it may not be readable alone."""
LONGEST_CHARS: Final = 450
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
    quotes = [_readable(each.quote, context.passages[each.passage]) for each in ordered]
    missing = _missing(best, analysis, context, kind)
    return Chosen(
        quotes=tuple(dict.fromkeys(quotes)),
        confidence=best.confidence,
        missing=missing,
        fits=best.lack is None and best.fit >= FORM_NEEDED and not _unheld(analysis, context),
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


def _missing(best: RatedPiece, analysis: QueryAnalysis, context: ContextBlock, kind: AnswerKind) -> tuple[str, ...]:
    found = list(_unheld(analysis, context))
    if best.lack is Lack.FIGURE:
        found.extend(f"“{figure.text}”" for figure in analysis.figures)
    if best.lack is Lack.PERIOD and not unknown_periods(analysis, context):
        held = ", ".join(list_held_periods(context.passages))
        asked = " or ".join(period.label for period in analysis.periods)
        found.append(f"{asked} (they cover {held})" if held else asked)
    if (best.lack is Lack.NUMBER or best.fit < FORM_NEEDED) and kind in KINDS_IN_WORDS:
        found.append(KINDS_IN_WORDS[kind])
    return tuple(dict.fromkeys(found))


def _readable(quote: Quote, passage: Passage) -> Quote:
    """Return the quote, with the sentences beside it where it is too short to be understood alone.

    Only sentences that the passage shows are added, after it first, and never across a row of a table.
    """
    if quote.row is not None or quote.end - quote.start >= SHORT_CHARS:
        return quote
    units = [unit for unit in split_units(passage.chunk.text) if _is_shown(unit.start, unit.end, passage)]
    at = next((index for index, unit in enumerate(units) if unit.start == quote.start), None)
    if at is None:
        return quote
    first = last = at
    for step in (1, -1):
        beside = last + 1 if step == 1 else first - 1
        if not 0 <= beside < len(units) or units[beside].is_row:
            continue
        start, end = min(units[first].start, units[beside].start), max(units[last].end, units[beside].end)
        text = passage.chunk.text[start:end]
        if end - start > LONGEST_CHARS or not _is_shown(start, end, passage) or "\n\n" in text:
            continue
        first, last = min(first, beside), max(last, beside)
    start, end = units[first].start, units[last].end
    return replace(quote, text=passage.chunk.text[start:end], start=start, end=end)


def _is_shown(start: int, end: int, passage: Passage) -> bool:
    return any(excerpt.start <= start and end <= excerpt.end for excerpt in passage.excerpts)
