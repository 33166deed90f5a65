"""Compare what questions reach under two policies. These functions are pure; runner.py runs the questions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from uuid import UUID

from apps.intents.contracts import FALLBACK_NAME, PolicySnapshot
from apps.intents.profile.means import DIRECT, rules_against
from apps.quality.impact.contracts import (
    Averages,
    EvaluationImpact,
    EvaluationShift,
    GoldenImpact,
    GoldenShift,
    Hit,
    IntentLine,
    Ranked,
    Reach,
    RecordedImpact,
    RecordedShift,
    Score,
    Shift,
)
from apps.retrieval.contracts import ContextBlock, ProfileCheck
from apps.retrieval.pipeline import Found

TOP_K = 5


def reach_of(found: Found, check: ProfileCheck | None = None) -> Reach:
    """Return the part of what the pipeline found that is compared. Args: check: of the question by the profile."""
    context = found.outcome if isinstance(found.outcome, ContextBlock) else None
    return Reach(
        intent=found.grant.intent,
        kinds=in_order(kind.value for kind in found.grant.permitted),
        hits=tuple(
            Hit(
                chunk_id=passage.chunk.chunk_id,
                document_id=passage.chunk.document.document_id,
                kind=passage.chunk.document.kind,
            )
            for passage in (context.passages if context else ())
        ),
        ranked=tuple(
            Ranked(document_id=each.hit.document_id, page_start=each.chunk.page_start, page_end=each.chunk.page_end)
            for each in found.candidates
        ),
        context_bytes=len(context.text.encode()) if context else 0,
        refused=tuple(each.key for each in check.findings) if check else (),
    )


def reach_of_intent(intent: str, snapshot: PolicySnapshot, research_mode: str = DIRECT) -> Reach:
    """Return what questions of an intent may reach. An intent that the policy does not have falls to its fallback.

    A kind without a budget cannot enter the context, so it is not reached (as in apps/intents/gate.py).

    Args: research_mode: in which they are asked; the profile may refuse it.
    """
    rule = snapshot.intent(intent)
    budgeted = {budget.kind for budget in snapshot.budgets}
    kinds = (rule or snapshot.fallback).kinds
    refusing = rules_against(snapshot.profile, rule.name if rule else FALLBACK_NAME, research_mode)
    return Reach(
        intent=rule.name if rule else "",
        kinds=in_order(kind.value for kind in kinds if kind in budgeted),
        refused=tuple(each.key for each in refusing),
    )


def shift_between(before: Reach, after: Reach) -> Shift:
    """Return everything that changes for a question that was run under both policies."""
    held, wanted = ({hit.chunk_id for hit in each.hits} for each in (before, after))
    return Shift(
        intent_before=before.intent,
        intent_after=after.intent,
        gained=tuple(kind for kind in after.kinds if kind not in before.kinds),
        lost=tuple(kind for kind in before.kinds if kind not in after.kinds),
        appearing=tuple(hit for hit in after.hits if hit.chunk_id not in held),
        vanishing=tuple(hit for hit in before.hits if hit.chunk_id not in wanted),
        refused_before=before.refused,
        refused_after=after.refused,
    )


def shift_of_intent(before: Reach, after: Reach, recorded: Iterable[Hit]) -> Shift:
    """Return what is known to change for a question of which only the intent and the passages were recorded.

    A passage vanishes if its kind is lost. If the policy in force does not permit its kind either, the change is not
    due to this version. Whether other passages would appear is unknown.
    """
    lost = tuple(kind for kind in before.kinds if kind not in after.kinds)
    return Shift(
        intent_before=before.intent,
        intent_after=after.intent,
        gained=tuple(kind for kind in after.kinds if kind not in before.kinds),
        lost=lost,
        vanishing=tuple(hit for hit in recorded if hit.kind in lost),
        refused_before=before.refused,
        refused_after=after.refused,
    )


def score(reach: Reach, *, documents: frozenset[UUID], pages: Sequence[int]) -> Score:
    """Return how much of what is expected is among the first five candidates.

    Args:    documents: every version of the expected document that may be searched; empty if it no longer exists.
             pages: its expected pages, from 1; empty if only the document is expected.
    Returns: page recall is the share of the pages that the first five candidates cover.
    """
    if not documents:
        return Score(page_recall_at_5=None, document_hit_at_5=None, context_bytes=reach.context_bytes)
    top = [each for each in reach.ranked[:TOP_K] if each.document_id in documents]
    covered = {page for page in pages for each in top if each.page_start <= page <= each.page_end}
    return Score(
        page_recall_at_5=len(covered) / len(set(pages)) if pages else None,
        document_hit_at_5=bool(top),
        context_bytes=reach.context_bytes,
    )


def recorded_impact(
    shifts: Sequence[RecordedShift], *, by_text: int, by_intent: int, not_judged: int, without_hits: int
) -> RecordedImpact:
    """Add up recorded questions, also by intent, the intent with the most questions first."""
    by_name: dict[str, list[Shift]] = defaultdict(list)
    for each in shifts:
        by_name[each.shift.intent_before].append(each.shift)
    lines = sorted(
        (_line(intent, of_intent) for intent, of_intent in by_name.items()),
        key=lambda each: (-each.questions, each.intent),
    )
    return RecordedImpact(
        total=by_text + by_intent + not_judged,
        by_text=by_text,
        by_intent=by_intent,
        not_judged=not_judged,
        without_hits=without_hits,
        gaining=sum(line.gaining for line in lines),
        losing=sum(line.losing for line in lines),
        appearing_hits=sum(line.appearing_hits for line in lines),
        vanishing_hits=sum(line.vanishing_hits for line in lines),
        intents=tuple(lines),
        changed=tuple(each for each in shifts if each.shift.changes),
        stopped=sum(each.shift.is_stopped for each in shifts),
        freed=sum(each.shift.is_freed for each in shifts),
    )


def evaluation_impact(questions: Sequence[EvaluationShift]) -> EvaluationImpact:
    return EvaluationImpact(
        total=len(questions),
        with_pages=sum(each.before.page_recall_at_5 is not None for each in questions),
        with_document=sum(each.before.document_hit_at_5 is not None for each in questions),
        gaining=sum(bool(each.shift.gained) for each in questions),
        losing=sum(bool(each.shift.lost) for each in questions),
        before=_averages([each.before for each in questions]),
        after=_averages([each.after for each in questions]),
        questions=tuple(questions),
        stopped=sum(each.shift.is_stopped for each in questions),
        freed=sum(each.shift.is_freed for each in questions),
    )


def golden_impact(shifts: Sequence[GoldenShift]) -> GoldenImpact:
    return GoldenImpact(
        total=len(shifts),
        moving=sum(each.shift.intent_before != each.shift.intent_after for each in shifts),
        gaining=sum(bool(each.shift.gained) for each in shifts),
        losing=sum(bool(each.shift.lost) for each in shifts),
        changed=tuple(each for each in shifts if each.shift.changes),
        stopped=sum(each.shift.is_stopped for each in shifts),
        freed=sum(each.shift.is_freed for each in shifts),
    )


def in_order(kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of kinds by the alphabet, each once: two versions may have them in another order."""
    return tuple(sorted(set(kinds)))


def _line(intent: str, shifts: Sequence[Shift]) -> IntentLine:
    return IntentLine(
        intent=intent,
        questions=len(shifts),
        gaining=sum(bool(each.gained) for each in shifts),
        losing=sum(bool(each.lost) for each in shifts),
        gained=in_order(kind for each in shifts for kind in each.gained),
        lost=in_order(kind for each in shifts for kind in each.lost),
        appearing_hits=sum(len(each.appearing) for each in shifts),
        vanishing_hits=sum(len(each.vanishing) for each in shifts),
    )


def _averages(scores: Sequence[Score]) -> Averages:
    return Averages(
        page_recall_at_5=_mean(each.page_recall_at_5 for each in scores),
        document_hit_at_5=_mean(each.document_hit_at_5 for each in scores),
        context_bytes=_mean(each.context_bytes for each in scores),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    known = [float(value) for value in values if value is not None]
    return fmean(known) if known else None
