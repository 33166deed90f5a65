"""The pipeline that a question passes through, from top to bottom. No stage calls back to an earlier one.

Nothing in this module touches the database or the network itself. The caller passes in what does (dependencies.py), and
it runs inside the scope that the caller has opened.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from apps.corpus.extraction.language import language_of_question
from apps.intents.contracts import FALLBACK_NAME, IntentDecision, KindGrant
from apps.retrieval.contracts import (
    Answer,
    Candidate,
    ContextBlock,
    CorpusInventory,
    QueryAnalysis,
    Question,
    Refusal,
    RefusalReason,
    SearchBounds,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.question.relax import document_filter
from apps.retrieval.steps import answering, bounds, finishing, narrowing, profile, reading, searching, statement_lines
from apps.retrieval.trace import Trace

_NOTHING_FOUND = (
    "Nothing was found in the documents that this question may reach{where}. Check the name and the period, or ask an "
    "officer whether the answer lies in a kind of document that this intent may not reach."
)

_NOTHING_WITHIN = (
    "Nothing was found within the filters that came with the question: {within}. Filters are never relaxed: check "
    "them, or omit one."
)


Parting = Callable[["ReadResult"], Sequence[str]]
"""Returns the parts of a question that was read, each as it would be asked by itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineResult:
    """The answer that the person gets, and its trace. The same trace feeds the API, the admin and the audit event."""

    answer: Answer
    trace: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Everything that is fixed before the answer is written: what may be reached, what was found, and the context.

    candidates: what was kept, best first, then what was added around it.
    outcome: the context, or the refusal that says why there is none.
    """

    decision: IntentDecision
    grant: KindGrant
    analysis: QueryAnalysis
    candidates: tuple[Candidate, ...]
    outcome: ContextBlock | Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class FindResult:
    """What a question would be answered from, with the trace of the stages up to the context."""

    found: Found
    trace: Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadResult:
    """What a question may reach and is about, before anything is searched.

    analysis: holds the refusal of a question that is not searched for.
    inventory: what is held within the question's bounds; empty where the profile refuses the question.
    parts: its parts, each with the intent that it has by itself; empty where it was not asked for them.
    """

    decision: IntentDecision
    grant: KindGrant
    analysis: QueryAnalysis
    inventory: CorpusInventory
    trace: Trace
    parts: tuple[tuple[str, IntentDecision], ...] = ()


def answer(question: Question, *, deps: PipelineDependencies) -> PipelineResult:
    """Answer one question.

    Args:    question: its scopes lie within those of the open scope token.
             deps: retrievers, providers, policy and clock.
    Returns: the answer or a refusal, with the trace of every stage that ran. If an embedding or generation provider
             fails, the pipeline goes on without it; the answer and the trace say so.
    Raises:  QuestionError: the text cannot be read as a question; nothing was searched.
    """
    recorder = TraceRecorder(deps.clock, deps.on_stage)
    found = _found(recorder, question, deps)
    analysis, context = found.analysis, found.outcome
    if isinstance(context, Refusal):
        trace = recorder.finish()
        return PipelineResult(answer=finishing.refuse(context, analysis, trace.degradations), trace=trace)
    bound = bounds.bind_models(deps, found.grant.intent or FALLBACK_NAME)
    draft = answering.write(recorder, analysis, context, bound)
    outcome = answering.check(recorder, draft, context, analysis, bound)
    finished = finishing.finish_answer(outcome, context, analysis, recorder.degradations)
    suited = profile.check_answer(recorder, finished, found.grant, deps, analysis.language)
    trace = recorder.finish()
    withheld = suited.refusal is not None and suited.refusal.reason is RefusalReason.PROFILE_BLOCKED
    return PipelineResult(answer=suited, trace=profile.without_draft(trace) if withheld else trace)


def read(question: Question, *, deps: PipelineDependencies, part: Parting | None = None) -> ReadResult:
    """Run the first stages alone: which kinds the question may reach, and what it is about.

    Args:   part: parts the question; each part is classified by itself, outside of any transaction.
    Raises: QuestionError, as `answer` does.
    """
    recorder = TraceRecorder(deps.clock, deps.on_stage)
    text = reading.read_question(recorder, question, deps)
    decision = reading.classify(recorder, text, deps)
    grant = reading.grant_kinds(recorder, question, decision, deps)
    refusal = profile.check_question(recorder, question, text, grant, deps)
    if refusal is not None:
        analysis = _refused_unread(question, text, refusal)
        inventory = CorpusInventory()
    else:
        within = reading.bounds_of(question, grant, deps)
        inventory = deps.inventory.read(within)
        analysis = reading.read_meaning(recorder, question, text, grant, within, deps)
    read = ReadResult(decision=decision, grant=grant, analysis=analysis, inventory=inventory, trace=recorder.finish())
    parts = part(read) if part is not None and analysis.refusal is None else ()
    return replace(read, parts=tuple((each, deps.intents.classify(each)) for each in parts))


def find(question: Question, *, deps: PipelineDependencies) -> FindResult:
    """Run the same stages up to the context, and return what a question would be answered from, without an answer.

    Raises: QuestionError, as `answer` does.
    """
    recorder = TraceRecorder(deps.clock, deps.on_stage)
    found = _found(recorder, question, deps)
    return FindResult(found=found, trace=recorder.finish())


def find_to_show(question: Question, *, deps: PipelineDependencies) -> FindResult:
    """Find as `find` does, for somebody who reads the passages: with what the profile says of an answer that had them.

    Raises: QuestionError, as `answer` does.
    """
    recorder = TraceRecorder(deps.clock, deps.on_stage)
    found = _found(recorder, question, deps)
    if found.candidates:
        profile.check_passages(recorder, found.candidates, found.grant, deps, found.analysis.language)
    return FindResult(found=found, trace=recorder.finish())


def _found(recorder: TraceRecorder, question: Question, deps: PipelineDependencies) -> Found:
    text = reading.read_question(recorder, question, deps)
    decision = reading.classify(recorder, text, deps)
    grant = reading.grant_kinds(recorder, question, decision, deps)
    refusal = profile.check_question(recorder, question, text, grant, deps)
    if refusal is not None:
        analysis = _refused_unread(question, text, refusal)
        return Found(decision=decision, grant=grant, analysis=analysis, candidates=(), outcome=refusal)
    intent = grant.intent or FALLBACK_NAME
    deps = bounds.bind_models(deps, intent)
    within = reading.bounds_of(question, grant, deps)
    analysis = reading.read_meaning(recorder, question, text, grant, within, deps)
    found = partial(Found, decision=decision, grant=grant, analysis=analysis)
    if analysis.refusal is not None:
        return found(candidates=(), outcome=analysis.refusal)
    chosen = bounds.within_jurisdictions(document_filter(analysis.filters), deps.profile, intent)
    within = replace(within, filter=chosen)

    def found_by(wordings: tuple[searching.Wording, ...], told_apart_by: str = "") -> tuple[Candidate, ...]:
        queries = searching.embed(recorder, wordings, deps)
        rankings = searching.retrieve(recorder, wordings, queries, within, deps, told_apart_by=told_apart_by)
        return searching.fuse_and_load(recorder, rankings, within, deps)

    rounds = count(1)

    def found_again(text: str) -> tuple[Candidate, ...]:
        return found_by((searching.wording_of(text, analysis.language, "heal"),), f" heal {next(rounds)}")

    candidates = found_by(searching.rewrite(recorder, analysis, deps))
    candidates = narrowing.lift_likely(recorder, candidates, analysis, deps)
    candidates = narrowing.diversify(recorder, candidates, analysis, deps, within=within)
    candidates = narrowing.rerank(recorder, candidates, analysis, deps)
    candidates = narrowing.cut(recorder, candidates, deps)
    candidates = narrowing.heal(recorder, candidates, analysis, deps, search=found_again)
    if not candidates:
        return found(candidates=(), outcome=_nothing_found(within, analysis))
    candidates = statement_lines.read_lines(recorder, candidates, analysis, deps, within=within)
    candidates = narrowing.expand(recorder, candidates, deps, within=within)
    candidates = statement_lines.read_facts(candidates, analysis, deps, within=within)
    context = answering.build_context(recorder, candidates, analysis, grant)
    return found(candidates=candidates, outcome=context)


def _refused_unread(question: Question, text: str, refusal: Refusal) -> QueryAnalysis:
    language = question.language or language_of_question(text)
    return profile.empty_analysis(text, refusal, language, reading.notes_of(question))


def _nothing_found(bounds: SearchBounds, analysis: QueryAnalysis) -> Refusal:
    if analysis.given:
        unmet = (each.unmet for each in analysis.given if each.unmet)
        within = "; ".join(each.label for each in analysis.given)
        message = " ".join((_NOTHING_WITHIN.format(within=within), *unmet))
        return Refusal(reason=RefusalReason.NOTHING_WITHIN_FILTERS, message=message)
    named = (
        *bounds.filter.companies,
        *(period.label for period in bounds.filter.periods),
        *bounds.filter.document_types,
        *bounds.filter.jurisdictions,
    )
    where = f" under {', '.join(named)}" if named else ""
    return Refusal(reason=RefusalReason.NOTHING_FOUND, message=_NOTHING_FOUND.format(where=where))
