"""Rankings in short: `chunks("a1", "b2-3")` is a chunk on page 1 of a, then one on pages 2 and 3 of b."""

from __future__ import annotations

from uuid import NAMESPACE_URL, uuid5

from apps.quality.evaluation.contracts import (
    CitedPassage,
    EvaluationQuestion,
    Expected,
    Observation,
    PageKey,
    RankedChunk,
)
from apps.retrieval.contracts import AnswerOutcome
from apps.tenants.ids import ScopeId

SCOPE = ScopeId(uuid5(NAMESPACE_URL, "scope"))


def chunk(place: str) -> RankedChunk:
    first, _, last = place[1:].partition("-")
    return RankedChunk(
        document=place[0],
        page_start=int(first),
        page_end=int(last or first),
        document_id=uuid5(NAMESPACE_URL, place[0]),
    )


def chunks(*places: str) -> tuple[RankedChunk, ...]:
    return tuple(chunk(place) for place in places)


def pages(*places: str) -> frozenset[PageKey]:
    return frozenset((place[0], int(place[1:])) for place in places)


def question(
    *expected: str,
    answer: str = "",
    text: str = "What is it?",
    type: str = "",
    accepts: tuple[tuple[str, ...], ...] = (),
    polarity: str = "",
    language: str = "",
) -> EvaluationQuestion:
    wanted = pages(*expected)
    return EvaluationQuestion(
        key="q",
        text=text,
        answer=answer,
        type=type,
        expected=Expected(documents=frozenset(document for document, _ in wanted), pages=wanted),
        scope_id=SCOPE,
        scope_ids=(SCOPE,),
        accepts=accepts,
        polarity=polarity,
        language=language,
    )


def observation(
    *ranking: str,
    context: tuple[str, ...] = (),
    cited: tuple[str, ...] = (),
    answer: str = "An answer.",
    refusal: str = "",
    grounding: str = "grounded",
    closest: bool = False,
    quotes: tuple[str, ...] = (),
    beside: str = "",
    model_failed: bool = False,
    stage_ms: dict[str, float] | None = None,
) -> Observation:
    """What became of a question. quotes: of the citations, in their order; `beside` stands beside each of them."""
    outcome = AnswerOutcome.CLOSEST if closest else AnswerOutcome.ANSWERED
    return Observation(
        ranking=chunks(*ranking),
        stages={"dense": chunks(*ranking[:1]), "fuse": chunks(*ranking)},
        context=chunks(*context),
        citations=tuple(
            CitedPassage(page=(place[0], int(place[1:])), quote=quote, beside=beside)
            for place, quote in zip(cited, (*quotes, *("",) * len(cited)), strict=False)
        ),
        outcome=AnswerOutcome.REFUSED if refusal else outcome,
        answer=answer,
        refusal=refusal,
        grounding="" if refusal or closest else grounding,
        model_failed=model_failed,
        stage_ms=stage_ms or {"dense": 2.0, "total": 10.0},
    )
