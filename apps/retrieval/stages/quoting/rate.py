"""Rate every sentence and row of the context as an answer: by words, by meaning, by form and by rank."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from apps.retrieval.contracts import AnswerKind, Certainty, ContextBlock, Passage, QueryAnalysis, Quote
from apps.retrieval.contracts.question import DocumentId
from apps.retrieval.stages.figures.answerable import Lack, asks_for_a_figure, lack_of
from apps.retrieval.stages.question.relax import period_matches, states
from apps.retrieval.stages.quoting.called import first_lines, of_other_files
from apps.retrieval.stages.quoting.fit import fits_kind
from apps.retrieval.stages.quoting.headed import Heading, is_headed
from apps.retrieval.stages.quoting.rows import is_table_header, with_row
from apps.retrieval.stages.ranking.quotable import quotable_pieces
from apps.retrieval.stages.ranking.relevance import Piece, Relevance, rate_pieces
from apps.retrieval.stages.ranking.units import split_units, surroundings_of

_HEADING_LONGEST_CHARS: Final = 80
_FULL_LENGTH_CHARS: Final = 400
_ENDS: Final = re.compile(r"[.!?:;,][\"'\u201d\u2019)\]]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedPiece:
    """A sentence or row with its ratings.

    passage: its position in the context. similarity: cosine similarity with the question, None if it was not embedded.
    fit: how far it has the form of the answer asked for, 0 to 1. lack: what it lacks to be the answer.
    is_headed: whether it stands under a heading that names what is asked for.
    confidence: an estimate of the probability that it answers the question, 0 to 1; orders the pieces.
    """

    passage: int
    quote: Quote
    relevance: Relevance
    similarity: float | None
    fit: float
    lack: Lack | None
    is_heading: bool
    confidence: float
    is_headed: bool = False


def rate(analysis: QueryAnalysis, context: ContextBlock, kind: AnswerKind) -> tuple[RatedPiece, ...]:
    """Return all pieces of the context that can be quoted, best first; equal pieces in the order of the context.

    Column headings are no pieces: they accompany the rows under them.
    """
    likely = [each for each in analysis.filters if each.certainty is Certainty.LIKELY]
    called = first_lines(context)
    of_others = of_other_files(analysis, context, called)
    asks_for_a_name = any(each.is_name for each in analysis.concepts)
    found = [
        (index, quote, is_heading, surroundings)
        for index, passage in enumerate(context.passages)
        for surroundings in (_around(passage, called if asks_for_a_name else {}),)
        for quote, is_heading in _pieces(passage)
    ]
    ratings = rate_pieces([Piece(text=quote.text, surroundings=around) for _, quote, _, around in found], analysis)
    similarities = [dict(passage.similarities) for passage in context.passages]
    lifts = [sum(states(each.chunk.document, one) for one in likely) for each in context.passages]
    # A piece without a lack then names the figure asked for, gives one, and is of the period.
    names_figure = bool(analysis.figures) and asks_for_a_figure(analysis)
    rated = [
        _rated(
            index,
            quote,
            relevance,
            is_heading=is_heading,
            rank=context.passages[index].rank,
            similarity=similarities[index].get(quote.start),
            fit=fits_kind(kind, quote, analysis.text),
            lack=Lack.SIGN if index in of_others else lack_of(quote, context.passages[index], analysis),
            heading=is_headed(
                quote,
                context.passages[index],
                analysis,
                called=called.get(context.passages[index].chunk.document.document_id, ""),
            ),
            kind=kind,
            likely=lifts[index],
            names_figure=names_figure,
            of_period=_is_of_asked_period(context.passages[index], analysis),
        )
        for (index, quote, is_heading, _), relevance in zip(found, ratings, strict=True)
    ]
    return tuple(sorted(rated, key=lambda each: -each.confidence))


def _around(passage: Passage, called: Mapping[DocumentId, str]) -> str:
    """Return the words above every piece of a passage, with the first line of its document."""
    chunk = passage.chunk
    return "\n".join((surroundings_of(chunk, split_units(chunk.text)), called.get(chunk.document.document_id, "")))


def _pieces(passage: Passage) -> Iterator[tuple[Quote, bool]]:
    """Yield the pieces of a passage with their rows, and whether each is a heading."""
    rows = {unit.start for unit in split_units(passage.chunk.text) if unit.is_row}
    quotes = list(quotable_pieces(passage))
    for quote, following in zip_longest(quotes, quotes[1:]):
        if quote.start not in rows:
            yield quote, len(quote.text) <= _HEADING_LONGEST_CHARS and not _ENDS.search(quote.text)
        elif not is_table_header(quote, following):
            yield with_row(quote, passage), False


# Weights of a logistic regression on 298 questions over 39 documents, rounded (see README.md of this room).
_INTERCEPT: Final = -6.6
_COVERAGE: Final = 1.4
_OWN_COVERAGE: Final = 1.2
_SIMILARITY: Final = 3.6
# Where a piece was not embedded, its similarity is estimated from its words.
_ESTIMATED_SIMILARITY: Final = (0.15, 0.5)
_FIT: Final = 1.0
_FIT_AND_COVERAGE: Final = 1.2
_RANK: Final = 1.3
_LENGTH: Final = 1.6
_LIKELY: Final = 0.8
_HEADING: Final = -2.0
_LACK: Final = -1.0
_NAMED: Final = 1.0
_OF_PERIOD: Final = 0.8
# Set by hand: a piece under a heading that names what is asked for shares few words with the question.
_HEADED: Final = 1.5
_NEXT: Final = 1.0
_SECTION_FIT: Final = 0.6
_TOLD_BY_A_SECTION: Final = (AnswerKind.LIST, AnswerKind.TEXT, AnswerKind.DEFINITION, AnswerKind.YES_NO)


def _is_of_asked_period(passage: Passage, analysis: QueryAnalysis) -> bool:
    """Return whether the document states a period that is asked for: a rule or a method is of any, and says less."""
    document = passage.chunk.document
    return any(period_matches(each, document.fiscal_year, document.fiscal_quarter) for each in analysis.periods)


def _estimate(relevance: Relevance) -> float:
    least, gained = _ESTIMATED_SIMILARITY
    return least + gained * relevance.coverage


def _rated(
    index: int,
    quote: Quote,
    relevance: Relevance,
    *,
    is_heading: bool,
    rank: int,
    similarity: float | None,
    fit: float,
    lack: Lack | None,
    heading: Heading | None,
    kind: AnswerKind,
    likely: int,
    names_figure: bool,
    of_period: bool,
) -> RatedPiece:
    if heading is not None and kind in _TOLD_BY_A_SECTION:
        fit = max(fit, _SECTION_FIT)
    logit = (
        _INTERCEPT
        + _COVERAGE * relevance.coverage
        + _OWN_COVERAGE * relevance.said_coverage
        + _SIMILARITY * (_estimate(relevance) if similarity is None else similarity)
        + _FIT * fit
        + _FIT_AND_COVERAGE * fit * relevance.coverage
        + _RANK / (1 + rank)
        + _LENGTH * min(len(quote.text), _FULL_LENGTH_CHARS) / _FULL_LENGTH_CHARS
        + _LIKELY * likely
        + _HEADING * is_heading
        + _LACK * (lack is not None)
        + _NAMED * (names_figure and lack is None)
        + _OF_PERIOD * of_period
        + (_HEADED + _NEXT * heading.is_next if heading else 0.0)
    )
    confidence = 1 / (1 + math.exp(-logit))
    return RatedPiece(
        passage=index,
        quote=quote,
        relevance=relevance,
        similarity=similarity,
        fit=fit,
        lack=lack,
        is_heading=is_heading,
        confidence=confidence,
        is_headed=heading is not None,
    )
