"""Read the outcome of a question from the trace that the pipeline left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from apps.corpus.models import Chunk, Document
from apps.quality.evaluation.accepting import held_by
from apps.quality.evaluation.contracts import CitedPassage, Observation, RankedChunk
from apps.retrieval.contracts import AnswerOutcome, Citation, ContextBlock, Ranking
from apps.retrieval.pipeline import PipelineResult
from apps.retrieval.trace import CandidateList, FusedRanking, Stage, StageOutput, StageStatus, Trace

TOTAL: Final = "total"


def observe(result: PipelineResult) -> Observation:
    """Return the observation of a result. Costs two queries, for the pages of what was ranked.

    Call this within the scope in which the question was asked.
    """
    trace, answer = result.trace, result.answer
    context = trace.output(ContextBlock)
    in_context = [passage.chunk.chunk_id for passage in context.passages] if context else []
    ordered = _orders(trace)
    places = _places({*in_context, *(chunk_id for order in ordered.values() for chunk_id in order)})
    stages = {stage: _ranked(order, places) for stage, order in ordered.items()}
    series = {chunk.document_id: chunk.document for chunk in places.values()}
    return Observation(
        ranking=_ranked(_last_order(trace), places),
        stages=stages,
        context=_ranked(in_context, places),
        citations=tuple(
            _cited(each, series[each.document_id]) for each in answer.citations if each.document_id in series
        ),
        outcome=answer.outcome,
        answer=answer.text,
        refusal=answer.refusal.reason.value if answer.refusal else "",
        grounding=answer.grounding.value if answer.grounding else "",
        model_failed=any(
            record.stage is Stage.GENERATE and record.status is StageStatus.DEGRADED for record in trace.stages
        ),
        stage_ms=_stage_ms(trace),
    )


def unread(code: str) -> Observation:
    """Return the observation of a text that cannot be read as a question: nothing was searched, and no stage took time.

    Args: code: of the error that said so.
    """
    return Observation(
        ranking=(),
        stages={},
        context=(),
        citations=(),
        outcome=AnswerOutcome.REFUSED,
        answer="",
        refusal=code,
        grounding="",
        model_failed=False,
        stage_ms={},
    )


def _cited(citation: Citation, document: str) -> CitedPassage:
    caption = citation.row.caption if citation.row else ""
    return CitedPassage(
        page=(document, citation.page), quote=citation.quote, beside=held_by((citation.columns, caption))
    )


def _last_order(trace: Trace) -> tuple[UUID, ...]:
    """Return the candidates in the order of the last stage before the tail is cut off."""
    order: tuple[UUID, ...] = ()
    for record in trace.stages:
        if record.stage is Stage.CUT_OFF:
            break
        if isinstance(record.output, CandidateList | FusedRanking):
            order = _order(record.output)
    return order


def _orders(trace: Trace) -> dict[str, tuple[UUID, ...]]:
    """Return what each stage before the cut ranked. If a question has several wordings, its own ranking counts."""
    orders: dict[str, tuple[UUID, ...]] = {}
    for record in trace.stages:
        if record.stage is Stage.CUT_OFF:
            break
        if isinstance(record.output, CandidateList | FusedRanking | Ranking):
            orders.setdefault(record.stage.value, _order(record.output))
    return orders


def _order(output: StageOutput) -> tuple[UUID, ...]:
    match output:
        case CandidateList():
            return tuple(candidate.chunk_id for candidate in output.candidates)
        case FusedRanking() | Ranking():
            return tuple(hit.chunk_id for hit in output.hits)
        case _:
            return ()


def _places(chunk_ids: Iterable[UUID]) -> dict[UUID, RankedChunk]:
    rows = Chunk.objects.filter(id__in=list(chunk_ids)).values_list("id", "document_id", "page_start", "page_end")
    found = list(rows)
    ids = {document_id for _, document_id, _, _ in found}
    series = dict(Document.objects.filter(id__in=ids).values_list("id", "series_id"))
    return {
        chunk_id: RankedChunk(
            document=str(series[document_id]), document_id=document_id, page_start=first, page_end=last
        )
        for chunk_id, document_id, first, last in found
        if document_id in series
    }


def _ranked(order: Iterable[UUID], places: Mapping[UUID, RankedChunk]) -> tuple[RankedChunk, ...]:
    return tuple(places[chunk_id] for chunk_id in order if chunk_id in places)


def _stage_ms(trace: Trace) -> dict[str, float]:
    spent: dict[str, float] = defaultdict(float)
    for record in trace.stages:
        spent[record.stage.value] += record.elapsed_ms
    return {**spent, TOTAL: trace.elapsed_ms}
