"""Narrow the fused candidates to the few that go into the context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from apps.corpus.providers.errors import ProviderError
from apps.retrieval.contracts import Candidate, ChunkId, FloatVector, Healing, QueryAnalysis, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.errors import RerankingError, UnsupportedEmbeddingDimensionError
from apps.retrieval.recorder import OpenStage, TraceRecorder
from apps.retrieval.stages.ranking.cut_off import cut_off
from apps.retrieval.stages.ranking.expand import expand as expanded
from apps.retrieval.stages.ranking.fuse import boost, page_by_page, take_turns
from apps.retrieval.steps.searching import NOTHING_CHOSEN
from apps.retrieval.trace import CutLine, HealedList, Stage, StageStatus, candidate_list

Candidates = tuple[Candidate, ...]
_NOT_EXPANDED: Final = "Switched off: no neighbours of the passages are added."
_TURNS: Final = "The question names several companies, whose passages take turns: {companies}."
PAGES_FIRST: Final = "The best passage of each page comes before further ones of the same page."


def lift_likely(
    recorder: TraceRecorder, candidates: Candidates, analysis: QueryAnalysis, deps: PipelineDependencies
) -> Candidates:
    """Boost what meets the likely filters, order by page if the settings say so, and keep the policy's top k."""
    with recorder.stage(Stage.BOOST, count_in=len(candidates)) as stage:
        boosted = boost(candidates, filters=analysis.filters, weight=deps.settings.likely_filter_boost)
        if deps.settings.page_by_page:
            boosted = page_by_page(boosted)
            stage.notes.append(PAGES_FIRST)
        companies = analysis.companies_named
        if len(companies) > 1:
            boosted = take_turns(boosted, companies)
            stage.notes.append(_TURNS.format(companies=", ".join(companies)))
        kept = boosted[: deps.policy.fused_top_k]
        for candidate in boosted[deps.policy.fused_top_k :]:
            stage.exclude(candidate.hit.chunk_id, f"Not among the first {deps.policy.fused_top_k}.")
        stage.notes.append(f"{sum(candidate.boost > 0 for candidate in kept)} candidates moved up.")
        stage.count_out, stage.output = len(kept), candidate_list(kept)
        return kept


def diversify(
    recorder: TraceRecorder,
    candidates: Candidates,
    analysis: QueryAnalysis,
    deps: PipelineDependencies,
    *,
    within: SearchBounds,
) -> Candidates:
    """Move near-repetitions further down, if a diversifier is configured and the policy enables it."""
    diversifier = deps.slots.diversifier
    with recorder.stage(Stage.DIVERSIFY, count_in=len(candidates)) as stage:
        if diversifier is None or not deps.policy.mmr_enabled:
            return _passed_on(stage, candidates, configured=diversifier is not None, wanted=deps.policy.mmr_enabled)

        def vectors(chunk_ids: Sequence[ChunkId]) -> Mapping[ChunkId, FloatVector]:
            found = deps.chunks.vectors(
                chunk_ids, model=deps.embedder.model, dimension=deps.embedder.dimension, within=within
            )
            if len(found) < len(chunk_ids):
                missing = len(chunk_ids) - len(found)
                stage.notes.append(f"{missing} of {len(chunk_ids)} have no stored vector and count as no repetition.")
            return found

        run = partial(diversifier.apply, analysis, candidates, vectors)
        return _reorder(stage, run, candidates, by=diversifier.name, note=diversifier.note, deps=deps)


def rerank(
    recorder: TraceRecorder, candidates: Candidates, analysis: QueryAnalysis, deps: PipelineDependencies
) -> Candidates:
    """Reorder the candidates by a reranker, if one is configured and the policy enables it."""
    reranker = deps.slots.reranker
    with recorder.stage(Stage.RERANK, count_in=len(candidates)) as stage:
        if reranker is None or not deps.policy.rerank_enabled:
            return _passed_on(stage, candidates, configured=reranker is not None, wanted=deps.policy.rerank_enabled)
        run = partial(reranker.apply, analysis, candidates)
        return _reorder(stage, run, candidates, by=reranker.name, note=reranker.note, deps=deps)


def cut(recorder: TraceRecorder, candidates: Candidates, deps: PipelineDependencies) -> Candidates:
    """Cut off the tail of the candidates."""
    with recorder.stage(Stage.CUT_OFF, count_in=len(candidates)) as stage:
        decision = cut_off(
            candidates,
            top_k=deps.settings.cut_top_k,
            minimum=deps.settings.cut_minimum,
            cumulative_probability=deps.policy.cut_off_cumulative_probability,
            cliff=deps.policy.cut_off_score_cliff,
            uncalibrated=deps.settings.cut_adaptive_uncalibrated,
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
    """Search for what is missing, if a healer is configured and the policy allows rounds of it."""
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
        stage.notes.extend(_describe_rounds(healing))
        stage.count_out = len(healing.candidates)
        stage.output = HealedList(
            candidates=candidate_list(healing.candidates).candidates,
            healer=healer.name,
            rounds=healing.rounds,
            coverage=healing.coverage,
        )
        return healing.candidates


def expand(
    recorder: TraceRecorder, candidates: Candidates, deps: PipelineDependencies, *, within: SearchBounds
) -> Candidates:
    """Add the passages around the first candidates in their parents, if the settings say so.

    This is also compliance gate 2: the added passages are looked up within the same bounds as the ones that were found.
    """
    with recorder.stage(Stage.EXPAND, count_in=len(candidates)) as stage:
        first = candidates[: deps.settings.expand_top_k]
        if not deps.settings.expand_top_k:
            stage.status = StageStatus.SKIPPED
            stage.notes.append(_NOT_EXPANDED)
            stage.count_out = len(candidates)
            return candidates
        around = deps.chunks.around([candidate.hit.chunk_id for candidate in first], within=within)
        result = expanded(candidates, around, most=deps.settings.expand_around)
        stage.notes.append(
            f"{len(result) - len(candidates)} passages added around the first {len(first)}, of the same section or "
            f"page; at most {deps.settings.expand_around} around one."
        )
        stage.count_out, stage.output = len(result), candidate_list(result)
        return result


def _describe_rounds(healing: Healing) -> Iterator[str]:
    """Describe the rounds in sentences."""
    for each in healing.rounds:
        yield (
            f"Round {each.number}: {each.coverage:.0%} of the question covered; missing: {', '.join(each.missing)}. "
            f"Asked {f'by {each.by}' if each.by else 'by words'} for “{each.asked}”: {each.found} new passages, "
            f"{each.added} of them taken."
        )
    yield f"{healing.coverage:.0%} of the question is covered. {healing.ended}"


def _passed_on(stage: OpenStage, candidates: Candidates, *, configured: bool, wanted: bool) -> Candidates:
    stage.status = _status_of_empty(configured=configured)
    stage.notes.append(_note_of_empty(stage.stage, configured, wanted))
    stage.count_out = len(candidates)
    return candidates


def _reorder(
    stage: OpenStage,
    run: Callable[[], Candidates],
    candidates: Candidates,
    *,
    by: str,
    note: str,
    deps: PipelineDependencies,
) -> Candidates:
    """Return the candidates in the new order. If reordering fails, keep the old order, and the answer says so."""
    try:
        result = run()
    except (RerankingError, ProviderError, UnsupportedEmbeddingDimensionError) as error:
        stage.degrade(code=error.code, message=error.detail)
        stage.count_out = len(candidates)
        return candidates
    kept = {candidate.hit.chunk_id for candidate in result}
    for candidate in candidates:
        if candidate.hit.chunk_id not in kept:
            stage.exclude(candidate.hit.chunk_id, f"Left out by {by}.")
    stage.notes.append(f"By {by}. {note}".rstrip())
    if deps.settings.page_by_page and deps.settings.page_by_page_reordered:
        result = page_by_page(result)
        stage.notes.append(PAGES_FIRST)
    stage.count_out, stage.output = len(result), candidate_list(result)
    return result


def _status_of_empty(*, configured: bool) -> StageStatus:
    return StageStatus.SKIPPED if configured else StageStatus.NOT_CONFIGURED


def _note_of_empty(stage: Stage, configured: bool, wanted: bool) -> str:
    if configured:
        return "The policy has it switched off: passed on unchanged."
    if wanted:
        return f"The policy asks for {stage.value}, but nothing is chosen for it here: passed on unchanged."
    return NOTHING_CHOSEN
