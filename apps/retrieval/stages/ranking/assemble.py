"""Build the context from the candidates: by kind, in priority order, within each kind's cap and the total cap."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from apps.intents.context_budget import SECTION_BREAK, SharedContext, section_heading, share_context
from apps.intents.contracts import KindBudget
from apps.retrieval.contracts import (
    Candidate,
    ChunkId,
    ContextBlock,
    ContextSection,
    LeftOut,
    Passage,
    QueryAnalysis,
    StoredChunk,
)
from apps.retrieval.stages.ranking.windows import Window, choose_windows


def ref_id(chunk: StoredChunk) -> str:
    """Return the name by which an answer cites a passage: `document|p34|c2`, for document version, page and chunk."""
    return f"{chunk.document.slug}|p{chunk.page_start}|c{chunk.number}"


def assemble(
    candidates: Sequence[Candidate],
    *,
    analysis: QueryAnalysis,
    budgets: Sequence[KindBudget],
    total_cap_chars: int,
) -> ContextBlock:
    """Build the context block.

    Every section (heading, ref_ids and passages together) stays within its kind's cap, and the block within the total
    cap. If the sections together are too long, whole sections are evicted (apps/intents/context_budget.py).

    Args:    candidates: best first, of any kinds.
             analysis: the question; decides which parts of a long passage are kept.
             budgets: sections follow the order of their positions. Candidates of a kind without a budget are left out.
             total_cap_chars: characters of the whole block.
    Returns: the block. The same candidates, question and budgets give the same bytes.
    """
    left_out: list[LeftOut] = []
    ranks = {candidate.hit.chunk_id: rank for rank, candidate in enumerate(candidates)}

    def fill(budget: KindBudget, cap_chars: int) -> ContextSection | None:
        of_kind = [each for each in candidates if each.hit.kind == budget.kind]
        if not of_kind:
            return None
        section, too_long = _section(of_kind, budget, cap_chars, analysis, ranks)
        left_out.extend(too_long)
        return section if section.passages else None

    context = share_context(
        budgets, total_cap_chars=total_cap_chars, fill=fill, size_of=lambda section: len(section.text)
    )
    budgeted = {str(budget.kind) for budget in budgets}
    left_out.extend(
        LeftOut(chunk_id=str(each.hit.chunk_id), kind=each.hit.kind, reason="The policy has no budget for this kind.")
        for each in candidates
        if each.hit.kind not in budgeted
    )
    return _block(context, left_out, total_cap_chars)


def _section(
    candidates: Sequence[Candidate],
    budget: KindBudget,
    cap_chars: int,
    analysis: QueryAnalysis,
    ranks: Mapping[ChunkId, int],
) -> tuple[ContextSection, list[LeftOut]]:
    heading = section_heading(budget)
    prefixes = [f"[{ref_id(candidate.chunk)}] " for candidate in candidates]
    windows = choose_windows(candidates, prefixes=prefixes, room_chars=cap_chars - len(heading) - 1, analysis=analysis)
    passages = tuple(_passage(window, ranks[window.candidate.hit.chunk_id]) for window in windows if window.excerpts)
    lines = (f"[{passage.ref_id}] {passage.text}" for passage in passages)
    too_long = [
        LeftOut(
            chunk_id=str(window.candidate.hit.chunk_id),
            kind=window.candidate.hit.kind,
            reason=f"It does not fit into the context budget of {budget.label}, a cap of {cap_chars} characters.",
        )
        for window in windows
        if not window.excerpts
    ]
    section = ContextSection(
        kind=str(budget.kind),
        label=budget.label,
        cap_chars=cap_chars,
        passages=passages,
        text="\n".join((heading, *lines)),
    )
    return section, too_long


def _passage(window: Window, rank: int) -> Passage:
    chunk = window.candidate.chunk
    shown = tuple(
        line
        for line in window.candidate.lines
        if any(excerpt.start <= line.start and line.end <= excerpt.end for excerpt in window.excerpts)
    )
    held = "".join("".join(excerpt.text for excerpt in window.excerpts).split())
    return Passage(
        ref_id=ref_id(chunk),
        chunk=chunk,
        excerpts=window.excerpts,
        text=window.text,
        trimmed=len(held) < len("".join(chunk.text.split())),
        lines=shown,
        rank=rank,
    )


def _block(context: SharedContext[ContextSection], left_out: Sequence[LeftOut], total_cap_chars: int) -> ContextBlock:
    text = SECTION_BREAK.join(section.text for section in context.sections)
    passages = tuple(passage for section in context.sections for passage in section.passages)
    return ContextBlock(
        text=text,
        sections=context.sections,
        passages=passages,
        evicted=context.evicted,
        left_out=tuple(left_out),
        truncated=bool(context.evicted or left_out) or any(passage.trimmed for passage in passages),
        size_chars=len(text),
        total_cap_chars=total_cap_chars,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
    )
