"""When the best sentence is the answer: if it is far ahead of what the other passages say, and on the subject."""

from __future__ import annotations

import pytest

from apps.retrieval.contracts import AnswerKind, ContextBlock, Quote
from apps.retrieval.stages.quoting.choose import Chosen, choose
from apps.retrieval.stages.quoting.rate import RatedPiece
from apps.retrieval.stages.ranking.relevance import Relevance
from tests.retrieval.builders import analysed, candidate, context_of

ANALYSIS = analysed("How soon is a breach corrected?")
TEXTS = (
    "A passive breach is corrected within ten days.",
    "A passive breach is corrected within five days.",
    "The register is kept by the compliance officer.",
)


def rated(
    context: ContextBlock,
    passage: int,
    confidence: float,
    *,
    own: float = 0.3,
    subject: float = 0.5,
    similarity: float | None = None,
) -> RatedPiece:
    text = context.passages[passage].chunk.text
    return RatedPiece(
        passage=passage,
        quote=Quote(ref_id=context.passages[passage].ref_id, text=text, start=0, end=len(text), columns=""),
        relevance=Relevance(coverage=0.5, own_coverage=own, subject_coverage=subject, said_coverage=own, score=0.5),
        similarity=similarity,
        fit=1.0,
        lack=None,
        is_heading=False,
        confidence=confidence,
    )


def chosen(*pieces: RatedPiece, context: ContextBlock) -> Chosen:
    found = choose(pieces, ANALYSIS, context, AnswerKind.TEXT, most=3)
    assert found is not None
    return found


@pytest.fixture
def context() -> ContextBlock:
    return context_of(ANALYSIS, [candidate(text, number) for number, text in enumerate(TEXTS, start=1)])


def test_a_piece_far_ahead_of_the_other_passages_is_likelier_the_answer(context: ContextBlock) -> None:
    ahead = chosen(rated(context, 0, 0.45), rated(context, 2, 0.06), context=context)
    beside = chosen(rated(context, 0, 0.45), rated(context, 2, 0.40), context=context)
    assert ahead.confidence > 0.6 > beside.confidence


def test_a_piece_that_says_the_same_of_another_fund_is_no_rival(context: ContextBlock) -> None:
    twins = chosen(rated(context, 0, 0.45), rated(context, 1, 0.44), rated(context, 2, 0.06), context=context)
    alone = chosen(rated(context, 0, 0.45), rated(context, 2, 0.06), context=context)
    assert twins.confidence == alone.confidence


def test_a_lone_passage_is_not_the_answer_for_want_of_another(context: ContextBlock) -> None:
    assert chosen(rated(context, 0, 0.15), context=context).confidence < 0.6


def test_a_piece_with_the_words_of_the_question_is_judged_by_its_own_rating(context: ContextBlock) -> None:
    pieces = rated(context, 0, 0.75, own=0.8), rated(context, 2, 0.70)
    assert chosen(*pieces, context=context).confidence == 0.75


@pytest.mark.parametrize(
    ("subject", "similarity", "fits"), [(0.0, None, False), (0.0, 0.4, False), (0.0, 0.6, True), (0.4, 0.1, True)]
)
def test_a_piece_that_shares_only_a_name_with_the_question_is_no_answer(
    context: ContextBlock, subject: float, similarity: float | None, fits: bool
) -> None:
    piece = rated(context, 0, 0.9, subject=subject, similarity=similarity)
    assert chosen(piece, context=context).fits is fits


def test_where_nothing_is_claimed_a_sentence_is_quoted_with_all_that_stands_around_it() -> None:
    text = "Breaches are entered in a register. A passive breach is corrected within ten days. The board sees it. Amen."
    context = context_of(ANALYSIS, [candidate(text)])
    start = text.index("A passive")
    end = text.index(" The board")
    piece = rated(context, 0, 0.3)
    quote = Quote(ref_id=piece.quote.ref_id, text=text[start:end], start=start, end=end, columns="")
    found = chosen(
        RatedPiece(
            passage=0,
            quote=quote,
            relevance=piece.relevance,
            similarity=None,
            fit=1.0,
            lack=None,
            is_heading=False,
            confidence=0.3,
        ),
        context=context,
    )
    assert [each.text for each in found.as_closest] == [text]
