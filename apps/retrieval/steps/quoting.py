"""Answer by quotation: compare the pieces of the context with the question by meaning, quote, and check the quotes."""

from __future__ import annotations

from dataclasses import replace
from itertools import zip_longest
from typing import Final

from apps.corpus.providers.errors import ProviderError
from apps.retrieval.contracts import (
    ContextBlock,
    GeneratedAnswer,
    GroundingReport,
    GroundingStatus,
    Passage,
    QueryAnalysis,
    Quote,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import OpenStage
from apps.retrieval.stages.grounding.quotations import check_quotations
from apps.retrieval.stages.grounding.shown_calculations import check_calculations
from apps.retrieval.stages.ranking.quotable import quotable_pieces
from apps.retrieval.stages.ranking.relevance import Piece, rate_pieces
from apps.retrieval.stages.ranking.units import split_units, surroundings_of

MOST_COMPARED: Final = 48
"""Pieces that are embedded for one question: about a fifth of a second on two cores with the shipped model."""


def quote(
    stage: OpenStage, analysis: QueryAnalysis, context: ContextBlock, deps: PipelineDependencies
) -> GeneratedAnswer:
    """Quote what answers the question, or what comes closest to an answer."""
    return deps.quoting.generate(analysis, compare_pieces(stage, analysis, context, deps))


def compare_pieces(
    stage: OpenStage, analysis: QueryAnalysis, context: ContextBlock, deps: PipelineDependencies
) -> ContextBlock:
    """Return the context with the similarity of its pieces to the question, where a model on this machine embeds.

    The best pieces of each passage by words are compared, up to MOST_COMPARED in all. A provider elsewhere is not
    asked: a question sends it no passages.
    """
    if deps.pieces is None:
        stage.notes.append("Sentences and rows were compared with the question by words alone.")
        return context
    chosen = _pieces_to_compare(context, analysis)
    if not chosen:
        return context
    try:
        question = deps.embedder.embed_query(analysis.search_text)
        vectors = deps.pieces.embed_documents([_with_section(piece, context.passages[at]) for at, piece in chosen])
    except ProviderError as error:
        stage.degrade(code=error.code, message=error.detail)
        return context
    found: dict[int, list[tuple[int, float]]] = {}
    for (at, piece), similarity in zip(chosen, vectors @ question, strict=True):
        found.setdefault(at, []).append((piece.start, round(float(similarity), 6)))
    stage.notes.append(f"{len(chosen)} sentences and rows were compared with the question by meaning, too.")
    return replace(
        context,
        passages=tuple(
            replace(passage, similarities=tuple(sorted(found.get(at, ()))))
            for at, passage in enumerate(context.passages)
        ),
    )


def check_quoted(draft: GeneratedAnswer, context: ContextBlock, analysis: QueryAnalysis) -> GroundingReport:
    """Check the quotes of an answer by quotation, and every calculation that it shows."""
    report = check_quotations(draft.quotes, context)
    if not draft.worked_out or report.status is not GroundingStatus.GROUNDED:
        return report
    lines = draft.text.split("\n")[: draft.worked_out]
    shown = check_calculations(
        lines, draft.quotes, context.passages, question=analysis.text, language=analysis.language
    )
    return replace(shown, findings=(*report.findings, *shown.findings))


def _pieces_to_compare(context: ContextBlock, analysis: QueryAnalysis) -> list[tuple[int, Quote]]:
    """Return pieces with the position of their passage: the best of each passage by words, then the second best."""
    pieces = [
        (at, piece, around)
        for at, passage in enumerate(context.passages)
        for around in (surroundings_of(passage.chunk, split_units(passage.chunk.text)),)
        for piece in quotable_pieces(passage)
    ]
    ratings = rate_pieces([Piece(text=piece.text, surroundings=around) for _, piece, around in pieces], analysis)
    by_passage: dict[int, list[tuple[float, int, Quote]]] = {}
    for (at, piece, _), rating in zip(pieces, ratings, strict=True):
        by_passage.setdefault(at, []).append((-rating.score, piece.start, piece))
    places = sorted(by_passage, key=lambda at: context.passages[at].rank)
    columns = [[(at, piece) for _, _, piece in sorted(by_passage[at], key=lambda each: each[:2])] for at in places]
    rounds = zip_longest(*columns)
    return [each for one_round in rounds for each in one_round if each is not None][:MOST_COMPARED]


def _with_section(piece: Quote, passage: Passage) -> str:
    section = passage.chunk.section
    return f"{section}: {piece.text}" if section else piece.text
