"""Traces of questions over passages in memory, as the Ask page gets them."""

from __future__ import annotations

from apps.intents.contracts import KindBudget
from apps.retrieval.admin.ask_fates import fates
from apps.retrieval.admin.ask_rankings import Found, FusionView, found_in, fusion_view
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.trace import FusedRanking, Stage, StageRecord, Trace
from tests.retrieval.builders import budget, candidate
from tests.retrieval.doubles import ListRetriever, OneVector, ScriptedGate, asked, dependencies

QUESTION = "What was the maximum drawdown of the fund?"
TEXTS = [
    "The maximum drawdown of the fund was 4.2 % in the quarter.",
    "The drawdown of the fund is measured from its peak to its trough.",
    *(f"Volume {number} speaks of the fund and of nothing else." for number in range(3, 16)),
]
HELD = [candidate(text, number) for number, text in enumerate(TEXTS, start=1)]


def result(
    *budgets: KindBudget, total_cap_chars: int = 4096, embedder: OneVector | None = None, found: int = len(HELD)
) -> PipelineResult:
    gate = ScriptedGate(budgets or [budget(cap_chars=600)], total_cap_chars=total_cap_chars)
    # The two rankings are each other's reverse, so that no passage has the same rank in both.
    deps = dependencies(
        HELD, gate=gate, embedder=embedder, sparse=ListRetriever("sparse", list(reversed(HELD[:found])))
    )
    return answer(asked(QUESTION), deps=deps)


def found_of(made: PipelineResult) -> Found:
    return found_in(made.trace, places={}, fates=fates(made.trace, made.answer.citations))


def fusion_of(made: PipelineResult) -> FusionView:
    fused = made.trace.output(FusedRanking)
    assert fused is not None
    return fusion_view(fused, found_of(made))


def record(trace: Trace, stage: Stage) -> StageRecord:
    found = trace.record(stage)
    assert found is not None
    return found
