"""Read the outcome of a question from the trace that the pipeline left."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from apps.corpus.models import Chunk, Document
from apps.quality.evaluation.contracts import Claims, Observation, RankedChunk
from apps.retrieval.contracts import ContextBlock, FindingType, GroundingReport, Ranking
from apps.retrieval.pipeline import PipelineResult
from apps.retrieval.trace import CandidateList, FusedRanking, Stage, StageOutput, Trace

_CLAIMS: Final = (FindingType.NUMBER, FindingType.QUOTE, FindingType.REF_ID)
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
        cited=tuple(
            dict.fromkeys(
                (series[each.document_id], each.page) for each in answer.citations if each.document_id in series
            )
        ),
        answer=answer.text,
        refusal=answer.refusal.reason.value if answer.refusal else "",
        grounding=answer.grounding.value if answer.grounding else "",
        claims=_claims(trace),
        degraded=answer.degraded,
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
        cited=(),
        answer="",
        refusal=code,
        grounding="",
        claims=Claims(supported=0, total=0),
        degraded=False,
        stage_ms={},
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


def _claims(trace: Trace) -> Claims:
    report = trace.output(GroundingReport)
    findings = [finding for finding in report.findings if finding.type in _CLAIMS] if report else []
    return Claims(supported=sum(finding.supported for finding in findings), total=len(findings))


def _stage_ms(trace: Trace) -> dict[str, float]:
    spent: dict[str, float] = defaultdict(float)
    for record in trace.stages:
        spent[record.stage.value] += record.elapsed_ms
    return {**spent, TOTAL: trace.elapsed_ms}
