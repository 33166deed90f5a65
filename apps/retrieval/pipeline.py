"""The way of a question, from top to bottom. One direction; no stage reaches back.

Nothing here touches the database or the network itself: what does is handed in (dependencies.py), and runs inside the
scope that the caller has opened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from apps.retrieval.contracts import Answer, Candidate, Question, Refusal, RefusalReason, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.relax import document_filter
from apps.retrieval.steps import answering, narrowing, reading, searching
from apps.retrieval.trace import Trace

_NOTHING_FOUND = (
    "Nothing was found in the documents that this question may reach{where}. Check the name and the period, or ask an "
    "officer whether the answer lies in a kind of document that this intent may not reach."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineResult:
    """What the person gets, and how it came about. The same trace feeds the API, the admin and the audit event."""

    answer: Answer
    trace: Trace


def answer(question: Question, *, deps: PipelineDependencies) -> PipelineResult:
    """Answer one question.

    Args:    question: within the scopes of the open scope token.
             deps: retrievers, providers, policy and clock.
    Returns: the answer or a refusal, with the trace of every stage that ran. A failing embedding or generation provider
             is done without and flagged, in the answer as in the trace.
    Raises:  QuestionError: the text can't be read as a question; nothing was searched.
    """
    recorder = TraceRecorder(deps.clock)

    text = reading.read_question(recorder, question, deps)
    decision = reading.classify(recorder, text, deps)
    grant = reading.grant_kinds(recorder, decision, deps)
    bounds = SearchBounds(tenant_id=question.tenant_id, scope_ids=question.scope_ids, kinds=grant.permitted)
    analysis = reading.read_meaning(recorder, question, text, bounds, deps)
    if analysis.refusal is not None:
        trace = recorder.finish()
        return PipelineResult(answer=answering.refused(analysis.refusal, analysis, trace), trace=trace)
    bounds = replace(bounds, filter=document_filter(analysis.filters))

    def found_by(wordings: tuple[searching.Wording, ...]) -> tuple[Candidate, ...]:
        queries = searching.embed(recorder, wordings, deps)
        rankings = searching.retrieve(recorder, queries, bounds, deps)
        return searching.fuse_and_load(recorder, rankings, bounds, deps)

    candidates = found_by(searching.rewrite(recorder, analysis, deps))
    candidates = narrowing.lift_likely(recorder, candidates, analysis, deps)
    candidates = narrowing.diversify(recorder, candidates, analysis, deps)
    candidates = narrowing.rerank(recorder, candidates, analysis, deps)
    candidates = narrowing.cut(recorder, candidates, deps)
    candidates = narrowing.heal(
        recorder,
        candidates,
        analysis,
        deps,
        search=lambda wording: found_by((searching.wording_of(wording, analysis.language, "heal"),)),
    )
    if not candidates:
        trace = recorder.finish()
        return PipelineResult(answer=answering.refused(_nothing_found(bounds), analysis, trace), trace=trace)

    context = answering.build_context(recorder, candidates, analysis, grant)
    draft = answering.write(recorder, analysis, context, deps)
    report = answering.check(recorder, draft, context, analysis, deps)
    trace = recorder.finish()
    return PipelineResult(answer=answering.finished(draft, report, context, analysis, trace), trace=trace)


def _nothing_found(bounds: SearchBounds) -> Refusal:
    named = (
        *bounds.filter.companies,
        *(period.label for period in bounds.filter.periods),
        *bounds.filter.document_types,
    )
    where = f" under {', '.join(named)}" if named else ""
    return Refusal(reason=RefusalReason.NOTHING_FOUND, message=_NOTHING_FOUND.format(where=where))
