"""Explain in one plain sentence why a question has its intent, with the figures that decided it."""

from __future__ import annotations

from enum import StrEnum

from apps.intents.contracts import NearestExample, PolicySnapshot
from apps.intents.scoring import IntentScore
from apps.tenants.figures import told_apart


class Verdict(StrEnum):
    """How the classifier's decision came about."""

    RECOGNISED = "recognised"
    EMPTY = "empty"  # nothing is left to classify
    OUTSIDE = "outside"  # the counter-examples are nearer
    TOO_LOW = "too_low"  # no intent reaches the minimum
    TOO_CLOSE = "too_close"  # the best two are too near each other


def explain(
    *,
    verdict: Verdict,
    snapshot: PolicySnapshot,
    best: IntentScore,
    second: IntentScore,
    outside: float | None,
    nearest: tuple[NearestExample, ...],
    set_aside: tuple[str, ...],
    degraded: bool,
) -> str:
    """Return the reason for a decision, for a reader who knows the policy's labels and not the code.

    Args:    outside: mean similarity of the nearest counter-examples; None if the terms alone decided.
    Returns: one sentence. It quotes golden examples and policy terms, and never the question.
    """
    parts = [_verdict_words(verdict, snapshot, best, second, outside)]
    if verdict is not Verdict.EMPTY:
        parts.append(_term_words(best.terms, snapshot.label_of(best.intent)))
        if nearest:
            parts.append(_nearest_words(nearest[0], snapshot))
    if degraded:
        parts.append("no embedding was available, so only the terms decided")
    if set_aside:
        # Only the number, not the phrases: the reason is recorded, and with HASH_ONLY no word of the question may be.
        parts.append(f"{_counted(len(set_aside))} beside the question had no effect")
    return "; ".join(parts) + "."


def _verdict_words(
    verdict: Verdict, snapshot: PolicySnapshot, best: IntentScore, second: IntentScore, outside: float | None
) -> str:
    first_label, second_label = snapshot.label_of(best.intent), snapshot.label_of(second.intent)
    unit = " points" if outside is None else ""
    fallback = snapshot.fallback.label
    settings = snapshot.classifier
    minimum_score = settings.minimum_score if outside is not None else settings.minimum_term_points
    minimum_margin = settings.minimum_margin if outside is not None else settings.minimum_term_margin
    match verdict:
        case Verdict.RECOGNISED:
            lead = told_apart(0.0, best.score - second.score)[1]
            return f"{first_label}: score {best.score:.2f}{unit}, {lead}{unit} ahead of {second_label}"
        case Verdict.EMPTY:
            return f"{fallback}: nothing is left of the question to classify"
        case Verdict.OUTSIDE:
            inside, further = told_apart(best.score, best.score if outside is None else outside)
            return f"{fallback}: nearer to examples outside the domain ({further}) than to {first_label} ({inside})"
        case Verdict.TOO_LOW:
            score, minimum = told_apart(best.score, minimum_score)
            return f"{fallback}: the best intent, {first_label}, scores {score}{unit}, below the minimum of {minimum}"
        case Verdict.TOO_CLOSE:
            ahead, margin = told_apart(best.score - second.score, minimum_margin, of_more=3)
            return (
                f"{fallback}: {first_label} leads {second_label} by only {ahead}{unit}, "
                f"less than the margin of {margin}"
            )


def _term_words(terms: tuple[str, ...], label: str) -> str:
    if not terms:
        return f"none of {label}'s own terms occurs"
    return "matched terms: " + ", ".join(terms)


def _nearest_words(nearest: NearestExample, snapshot: PolicySnapshot) -> str:
    return (
        f"nearest example “{nearest.text}” "
        f"({snapshot.label_of(nearest.intent)}, cosine similarity {nearest.cosine_similarity:.2f})"
    )


def _counted(phrases: int) -> str:
    return "one phrase" if phrases == 1 else f"{phrases} phrases"
