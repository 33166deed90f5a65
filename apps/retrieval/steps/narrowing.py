"""From fused candidates to the few that go into the context."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from apps.retrieval.contracts import Candidate, Healing, QueryAnalysis
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.protocols import CandidateStage
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.stages.cut_off import cut_off
from apps.retrieval.stages.fuse import boost
from apps.retrieval.stages.page_order import page_by_page
from apps.retrieval.steps.searching import NOT_CONFIGURED
from apps.retrieval.trace import CutLine, HealedList, Stage, StageStatus, candidate_list

Candidates = tuple[Candidate, ...]


def lift_likely(
    recorder: TraceRecorder, candidates: Candidates, analysis: QueryAnalysis, deps: PipelineDependencies
) -> Candidates:
    """Lift what meets the likely filters, put pages before their further passages, and keep the policy's top k."""
    with recorder.stage(Stage.BOOST, count_in=len(candidates)) as stage:
        boosted = boost(candidates, filters=analysis.filters, weight=deps.settings.likely_filter_boost)
        if deps.settings.page_by_page:
            boosted = page_by_page(boosted)
            stage.notes.append("The best passage of each page comes before further ones of the same page.")
        kept = boosted[: deps.policy.fused_top_k]
        for candidate in boosted[deps.policy.fused_top_k :]:
            stage.exclude(candidate.hit.chunk_id, f"Not among the first {deps.policy.fused_top_k}.")
        stage.notes.append(f"{sum(candidate.boost > 0 for candidate in kept)} candidates lifted.")
        stage.count_out, stage.output = len(kept), candidate_list(kept)
        return kept


def diversify(
    recorder: TraceRecorder, candidates: Candidates, analysis: QueryAnalysis, deps: PipelineDependencies
) -> Candidates:
    """Leave out near-repetitions, if a diversifier is configured and the policy wants it."""
    return _optional(recorder, Stage.DIVERSIFY, deps.slots.diversifier, deps.policy.mmr_enabled, candidates, analysis)


def rerank(
    recorder: TraceRecorder, candidates: Candidates, analysis: QueryAnalysis, deps: PipelineDependencies
) -> Candidates:
    """Order anew by a reranker, if one is configured and the policy wants it."""
    return _optional(recorder, Stage.RERANK, deps.slots.reranker, deps.policy.rerank_enabled, candidates, analysis)


def cut(recorder: TraceRecorder, candidates: Candidates, deps: PipelineDependencies) -> Candidates:
    """Cut the tail."""
    with recorder.stage(Stage.CUT_OFF, count_in=len(candidates)) as stage:
        decision = cut_off(
            candidates,
            top_k=deps.settings.cut_top_k,
            minimum=deps.settings.cut_minimum,
            cumulative_probability=deps.policy.cut_off_cumulative_probability,
            cliff=deps.policy.cut_off_score_cliff,
        )
        for candidate in decision.cut:
            stage.exclude(candidate.hit.chunk_id, f"Cut off by the rule {decision.rule.value}.")
        stage.notes.append(decision.reason)
        stage.count_out = len(decision.kept)
        stage.output = CutLine(
            rule=decision.rule, reason=decision.reason, kept=len(decision.kept), cut=len(decision.cut)
        )
        return decision.kept


def heal(
    recorder: TraceRecorder,
    candidates: Candidates,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
    search: Callable[[str], Candidates],
) -> Candidates:
    """Ask for what is missing, if a healer is configured and the policy allows rounds of it."""
    healer = deps.slots.healer
    with recorder.stage(Stage.HEAL, count_in=len(candidates)) as stage:
        if healer is None or not deps.policy.heal_rounds:
            stage.status = _status_of_empty(configured=healer is not None)
            stage.notes.append(_note_of_empty(Stage.HEAL, healer is not None, deps.policy.heal_rounds > 0))
            stage.count_out = len(candidates)
            return candidates
        healing = healer.heal(
            analysis,
            candidates,
            search=search,
            rounds=deps.policy.heal_rounds,
            minimum_coverage=deps.policy.heal_minimum_coverage,
        )
        if healing.degradation is not None:
            stage.degrade(code=healing.degradation.code, message=healing.degradation.message)
        stage.notes.extend(_told_by(healing))
        stage.count_out = len(healing.candidates)
        stage.output = HealedList(
            candidates=candidate_list(healing.candidates).candidates,
            healer=healer.name,
            rounds=healing.rounds,
            coverage=healing.coverage,
        )
        return healing.candidates


def _told_by(healing: Healing) -> Iterator[str]:
    """The rounds in sentences."""
    for each in healing.rounds:
        yield (
            f"Round {each.number}: {each.coverage:.0%} of the question covered; missing: {', '.join(each.missing)}. "
            f"Asked {f'by {each.by}' if each.by else 'by words'} for “{each.asked}”: {each.found} new passages, "
            f"{each.added} of them taken."
        )
    yield f"{healing.coverage:.0%} of the question is covered. {healing.ended}"


def _optional(
    recorder: TraceRecorder,
    name: Stage,
    implementation: CandidateStage | None,
    wanted: bool,
    candidates: Candidates,
    analysis: QueryAnalysis,
) -> Candidates:
    with recorder.stage(name, count_in=len(candidates)) as stage:
        if implementation is None or not wanted:
            stage.status = _status_of_empty(configured=implementation is not None)
            stage.notes.append(_note_of_empty(name, implementation is not None, wanted))
            stage.count_out = len(candidates)
            return candidates
        result = implementation.apply(analysis, candidates)
        kept = {candidate.hit.chunk_id for candidate in result}
        for candidate in candidates:
            if candidate.hit.chunk_id not in kept:
                stage.exclude(candidate.hit.chunk_id, f"Left out by {implementation.name}.")
        stage.notes.append(f"By {implementation.name}.")
        stage.count_out, stage.output = len(result), candidate_list(result)
        return result


def _status_of_empty(*, configured: bool) -> StageStatus:
    return StageStatus.SKIPPED if configured else StageStatus.NOT_CONFIGURED


def _note_of_empty(stage: Stage, configured: bool, wanted: bool) -> str:
    if configured:
        return "The policy has it switched off: passed on unchanged."
    if wanted:
        return f"The policy asks for {stage.value}, but nothing is configured for it here: passed on unchanged."
    return NOT_CONFIGURED
