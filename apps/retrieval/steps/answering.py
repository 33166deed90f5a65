"""Turn the candidates that were kept into an answer that its passages support."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.intents.contracts import KindGrant
from apps.retrieval.contracts import (
    Candidate,
    ContextBlock,
    Finding,
    GeneratedAnswer,
    GroundingReport,
    GroundingStatus,
    QueryAnalysis,
    Repair,
)
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.errors import GenerationError
from apps.retrieval.generation.extractive import as_closest
from apps.retrieval.generation.protocol import Revising
from apps.retrieval.recorder import OpenStage, TraceRecorder
from apps.retrieval.stages.grounding.ground import ground
from apps.retrieval.stages.grounding.shorten import shorten, still_answers
from apps.retrieval.stages.grounding.subject import unknown_names, unknown_periods
from apps.retrieval.stages.ranking.assemble import assemble
from apps.retrieval.steps.quoting import check_quoted, quote
from apps.retrieval.trace import Stage, StageStatus

_WITHHELD = "retrieval.answer_withheld"
_QUOTED_INSTEAD = "The model's answer was withheld: {reason} These are quotations."


def build_context(
    recorder: TraceRecorder, candidates: Sequence[Candidate], analysis: QueryAnalysis, grant: KindGrant
) -> ContextBlock:
    """Build the context from the candidates, within the budgets of the grant."""
    with recorder.stage(Stage.ASSEMBLE, count_in=len(candidates)) as stage:
        context = assemble(candidates, analysis=analysis, budgets=grant.budgets, total_cap_chars=grant.total_cap_chars)
        for left_out in context.left_out:
            stage.exclude(left_out.chunk_id, left_out.reason)
        for section in context.evicted:
            stage.exclude(f"section {section.label}", f"Over the total cap of {context.total_cap_chars} characters.")
        trimmed = sum(passage.trimmed for passage in context.passages)
        stage.notes.append(
            f"{context.size_chars} of {context.total_cap_chars} characters used; {trimmed} passages trimmed to their "
            "most relevant sentences and rows."
        )
        stage.count_out, stage.output = len(context.passages), context
        return context


def write(
    recorder: TraceRecorder, analysis: QueryAnalysis, context: ContextBlock, deps: PipelineDependencies
) -> GeneratedAnswer:
    """Write the answer. If the model fails, quote instead and say so in the answer.

    If the question has a name that no passage mentions, or no passage is of a period that it asks for, no model is
    asked: figures of another fund or another year would be no answer. The closest passages are quoted.
    """
    with recorder.stage(Stage.GENERATE, count_in=len(context.passages)) as stage:
        unheld = unknown_names(analysis, context) or unknown_periods(analysis, context)
        if unheld and deps.generator.name != deps.quoting.name:
            # A model would be asked about another fund or another year.
            stage.notes.append("The model is not asked: no passage is about a name or a period of the question.")
        if unheld or deps.generator.name == deps.quoting.name:
            draft = quote(stage, analysis, context, deps)
        else:
            try:
                draft = deps.generator.generate(analysis, context)
            except GenerationError as error:
                stage.degrade(code=error.code, message=error.detail)
                draft = quote(stage, analysis, context, deps)
            else:
                draft = _closest_if_given_up(stage, draft, analysis, context, deps)
        stage.notes.extend(draft.notes)
        if draft.refusal:
            stage.notes.append(draft.refusal.message)
        stage.count_out, stage.output = len(draft.ref_ids), draft
        return draft


def _closest_if_given_up(
    stage: OpenStage,
    draft: GeneratedAnswer,
    analysis: QueryAnalysis,
    context: ContextBlock,
    deps: PipelineDependencies,
) -> GeneratedAnswer:
    """Return the closest passages where the model found no answer; else the draft."""
    if draft.refusal is None:
        return draft
    quoted = as_closest(quote(stage, analysis, context, deps))
    if quoted.refusal is not None:
        return draft
    stage.notes.append(draft.refusal.message)
    return quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of checking a draft: the answer to give, how it was repaired, and the report on it.

    report: None for a refusal, which claims nothing. withheld: whether no repair made the answer hold.
    unconfirmed: what the passages did not confirm, of an answer that was shortened or withheld.
    """

    answer: GeneratedAnswer
    report: GroundingReport | None
    repair: Repair = Repair.NONE
    withheld: bool = False
    unconfirmed: tuple[Finding, ...] = ()


def check(
    recorder: TraceRecorder,
    draft: GeneratedAnswer,
    context: ContextBlock,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
) -> Outcome:
    """Check every claim of the answer, and repair an answer that fails the check.

    A model is asked once more and told which claims failed. If claims still fail, their sentences are removed, provided
    that the rest still answers. If neither repair works, the answer is withheld, and the passages are quoted instead.
    No answer passes with a claim that fails.
    """
    with recorder.stage(Stage.GROUND) as stage:
        if draft.refusal is not None:
            stage.status = StageStatus.SKIPPED
            stage.notes.append("There is no answer to check.")
            return Outcome(answer=draft, report=None)
        outcome = _repair(stage, draft, context, analysis, deps)
        report = outcome.report
        if report is None:
            stage.output = outcome.answer
            return outcome
        stage.notes.append(report.reason)
        stage.count_in = len(report.findings)
        stage.count_out = sum(finding.supported for finding in report.findings)
        stage.output = report
        return outcome


def _repair(
    stage: OpenStage,
    draft: GeneratedAnswer,
    context: ContextBlock,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
) -> Outcome:
    if draft.generator == deps.quoting.name:
        report = check_quoted(draft, context, analysis)
        return Outcome(answer=draft, report=report, withheld=report.status is not GroundingStatus.GROUNDED)
    report = _check(stage, draft, context, analysis, deps)
    if report.status is GroundingStatus.GROUNDED:
        return Outcome(answer=draft, report=report)
    candidates = [(draft, report)]
    revised = _revise(stage, draft, report, context, analysis, deps)
    if revised is not None:
        if revised.refusal is not None:
            return Outcome(answer=revised, report=None, repair=Repair.ASKED_AGAIN)
        again = _check(stage, revised, context, analysis, deps)
        if again.status is GroundingStatus.GROUNDED:
            stage.notes.append(f"Repaired: {revised.model} rewrote it, knowing what was not supported.")
            return Outcome(answer=revised, report=again, repair=Repair.ASKED_AGAIN)
        candidates.insert(0, (revised, again))
    for answer, report in candidates:
        rest = shorten(answer, context, analysis=analysis)
        if rest is None:
            continue
        left = ground(rest, context, analysis=analysis)
        if left.status is GroundingStatus.GROUNDED and still_answers(rest, context, analysis):
            stage.notes.append("Repaired: the unsupported sentences were removed; the rest still answers.")
            return Outcome(answer=rest, report=left, repair=Repair.SHORTENED, unconfirmed=_failed(report))
    stage.notes.append("Withheld: the answer could not be repaired.")
    last, report = candidates[0]
    return _quote_instead(stage, last, report, context, analysis, deps)


def _quote_instead(
    stage: OpenStage,
    withheld: GeneratedAnswer,
    report: GroundingReport,
    context: ContextBlock,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
) -> Outcome:
    """Return what the passages themselves say in place of an answer that is withheld, marked as such."""
    quoted = quote(stage, analysis, context, deps)
    if quoted.refusal is None:
        of_quotes = check_quoted(quoted, context, analysis)
        if of_quotes.status is GroundingStatus.GROUNDED:
            stage.degrade(code=_WITHHELD, message=_QUOTED_INSTEAD.format(reason=report.reason))
            return Outcome(answer=quoted, report=of_quotes, unconfirmed=_failed(report))
    return Outcome(answer=withheld, report=report, withheld=True, unconfirmed=_failed(report))


def _failed(report: GroundingReport) -> tuple[Finding, ...]:
    return tuple(finding for finding in report.findings if not finding.supported)


def _check(
    stage: OpenStage,
    answer: GeneratedAnswer,
    context: ContextBlock,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
) -> GroundingReport:
    report = ground(answer, context, analysis=analysis)
    for finding in report.findings:
        if not finding.supported:
            stage.exclude(f"{finding.type.value} {finding.value}", finding.note)
    return report


def _revise(
    stage: OpenStage,
    draft: GeneratedAnswer,
    report: GroundingReport,
    context: ContextBlock,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
) -> GeneratedAnswer | None:
    """Return the model's revised answer after it was told which claims failed; None without a model, or if it fails."""
    if draft.generator != deps.generator.name or not isinstance(deps.generator, Revising):
        return None
    try:
        return deps.generator.revise(analysis, context, draft, _failed(report))
    except GenerationError as error:
        stage.degrade(code=error.code, message=error.detail)
        return None
