"""Choose what is quoted, and say what was asked for and is not in it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from apps.retrieval.contracts import AnswerKind, ContextBlock, FilterField, QueryAnalysis, Quote
from apps.retrieval.stages.figures.answerable import Lack
from apps.retrieval.stages.grounding.subject import list_held_periods, unknown_names, unknown_periods
from apps.retrieval.stages.question.names import identifiers
from apps.retrieval.stages.quoting.extents import apart, readable, with_surroundings
from apps.retrieval.stages.quoting.rate import RatedPiece

NEAR_SHARE: Final = 0.6
"""A further quote must have at least this share of the confidence in the best one."""
FORM_NEEDED: Final = 0.3
"""A piece whose form fits less than this is no answer: a question for a date is not answered without one."""
SUBJECT_NEEDED: Final = 0.2
SIMILARITY_NEEDED: Final = 0.5
"""A piece that is below both is no answer: it is about the right fund or place, and about something else of it."""
WORDS_NEEDED: Final = 0.45
"""A piece that holds at least this share of what was asked, in its own words, is judged by its own rating."""
SAME_WORDS: Final = 0.5
"""From this share of common words on, two pieces say the same."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
# Any other piece is judged by how much better it is rated than the best one of the other passages. Its own rating adds
# nothing to that: a logistic regression on the 298 questions of rate.py gives it no weight.
_MARGIN: Final = 1.4
_MARGIN_INTERCEPT: Final = -2.0
_LEAST_LOGIT: Final = -3.0
"""The margin is at most that over this rating: a lone passage has no other to be better than."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """What is quoted, best first.

    as_answer, as_closest: the quotes of an answer, and those where nothing is claimed: the same with more around them.
    confidence: an estimate of the probability that the best piece answers the question, 0 to 1. nearness: the rating of
    the best piece, 0 to 1. missing: what was asked for and is not there, in words. fits: whether the best piece may be
    the answer, so that nothing structural speaks against it.
    """

    as_answer: tuple[Quote, ...]
    as_closest: tuple[Quote, ...]
    confidence: float
    nearness: float
    missing: tuple[str, ...]
    fits: bool


def choose(
    rated: Sequence[RatedPiece], analysis: QueryAnalysis, context: ContextBlock, kind: AnswerKind, *, most: int
) -> Chosen | None:
    """Choose the best pieces, first one of each passage; None if no piece is about anything that was asked.

    Args: rated: best first. most: pieces in one answer.
    """
    told = [each for each in rated if not each.is_heading]
    pieces = [each for each in told if each.lack is not Lack.SIGN] or told
    if not pieces:
        return None
    best = pieces[0]
    bar = NEAR_SHARE * best.confidence
    near = [each for each in pieces if each.confidence >= bar]
    firsts: dict[int, RatedPiece] = {}
    for each in near:
        firsts.setdefault(each.passage, each)
    ordered = [*firsts.values(), *(each for each in near if each is not firsts[each.passage])][:most]
    shown = [(each.quote, context.passages[each.passage]) for each in ordered]
    unheld = _unheld(analysis, context)
    missing = (*unheld, *_missing(best, analysis, context, kind))
    return Chosen(
        as_answer=apart(readable(quote, passage) for quote, passage in shown),
        as_closest=apart(with_surroundings(quote, passage) for quote, passage in shown),
        confidence=_confidence(pieces),
        nearness=best.confidence,
        missing=tuple(dict.fromkeys(missing)),
        fits=best.lack is None and best.fit >= FORM_NEEDED and _is_on_subject(best) and not unheld,
    )


def _confidence(pieces: Sequence[RatedPiece]) -> float:
    """Return how likely the first piece is the answer, 0 to 1."""
    best = pieces[0]
    others = (_logit(each.confidence) for each in pieces if each.passage != best.passage and not _restates(each, best))
    margin = _logit(best.confidence) - max(next(others, _LEAST_LOGIT), _LEAST_LOGIT)
    by_margin = 1 / (1 + math.exp(-(_MARGIN_INTERCEPT + _MARGIN * margin)))
    says_it = max(best.relevance.said_coverage, best.relevance.own_coverage) >= WORDS_NEEDED
    return max(by_margin, best.confidence) if says_it else by_margin


def _is_on_subject(piece: RatedPiece) -> bool:
    """Return whether a piece shares more with the question than names, in words or in meaning."""
    return piece.relevance.subject_coverage >= SUBJECT_NEEDED or (piece.similarity or 0.0) >= SIMILARITY_NEEDED


def _restates(piece: RatedPiece, best: RatedPiece) -> bool:
    """Return whether a piece says what the best one says, if of another fund or period: it is no rival to it."""
    words, of_best = _words(piece), _words(best)
    return len(words & of_best) >= SAME_WORDS * len(words | of_best)


def _words(piece: RatedPiece) -> frozenset[str]:
    return frozenset(_WORD.findall(piece.quote.text.lower()))


def _logit(probability: float) -> float:
    return math.log(probability / (1 - probability))


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
    if best.lack is Lack.SIGN:
        yield from (f"“{sign}”" for sign in identifiers(analysis.text))
    if best.lack is Lack.FIGURE:
        yield from (f"“{figure.text}”" for figure in analysis.figures)
    if best.lack is Lack.PERIOD and not unknown_periods(analysis, context):
        held = ", ".join(list_held_periods(context.passages))
        asked = " or ".join(period.label for period in analysis.periods)
        yield f"{asked} (they cover {held})" if held else asked
    if (best.lack is Lack.NUMBER or best.fit < FORM_NEEDED) and kind in KINDS_IN_WORDS:
        yield KINDS_IN_WORDS[kind]
