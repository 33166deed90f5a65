"""Decide a question's intent from the nearest golden examples and the intent's own terms, and from nothing else.

The best-scoring intent is taken if its score reaches the policy's minimum, if it leads the second by the minimum
margin, and if the counter-examples (questions outside the domain) are not nearer. Otherwise the question is
unrecognised. Without vectors the terms alone decide, and the decision is flagged as degraded. scoring.py describes the
score. The module is pure and deterministic: the same text, snapshot and vectors give the same decision.
"""

from __future__ import annotations

from typing import Final

from apps.intents.contracts import UNRECOGNISED, IntentDecision, PolicySnapshot
from apps.intents.explanation import Verdict, explain
from apps.intents.instructions import core_question
from apps.intents.scoring import (
    IntentScore,
    Vector,
    example_similarities,
    intent_scores,
    nearest_examples,
    nearest_means,
)

_NOBODY: Final = IntentScore(intent=UNRECOGNISED, similarity=None, points=0.0, score=0.0, terms=())


def classify_question(
    question: str,
    snapshot: PolicySnapshot,
    question_vector: Vector | None,
    example_vectors: Vector | None,
) -> IntentDecision:
    """Decide the intent of a question.

    Args:    question: as it was asked; instructions in it are set aside before its terms are matched.
             snapshot: the policy version whose intents, examples and thresholds apply.
             question_vector: (d,) float32, unit norm, of `core_question(question).text`; None without a provider.
             example_vectors: (n, d) float32, unit norm, row i for snapshot.examples[i]; None without a provider.
    Returns: the decision with its reason; never an intent that the snapshot does not have.
    Raises:  ExampleVectorsMismatchError: the number of rows is not the number of examples.
    """
    return classify_by(question, snapshot, example_similarities(snapshot, question_vector, example_vectors))


def classify_by(question: str, snapshot: PolicySnapshot, similarities: tuple[float, ...] | None) -> IntentDecision:
    """Decide as classify_question does, with similarities of the question to the examples that are already known.

    Args: similarities: as scoring.example_similarities gives them, in the order of snapshot.examples.
    """
    core = core_question(question)
    # A draft may have one intent or none yet, so add placeholders for the best and the second intent.
    ranked = (*intent_scores(core.text, snapshot, similarities), _NOBODY, _NOBODY)
    best = ranked[0]
    margin = round(best.score - ranked[1].score, 4)
    outside = nearest_means(snapshot, similarities)[UNRECOGNISED]
    degraded = similarities is None and bool(core.text)
    verdict = _verdict(core.text, best, margin, outside, snapshot)
    rule = snapshot.intent(best.intent) if verdict is Verdict.RECOGNISED else None
    nearest = () if similarities is None else nearest_examples(snapshot.examples, similarities)
    return IntentDecision(
        intent=rule.name if rule else UNRECOGNISED,
        label=rule.label if rule else snapshot.fallback.label,
        recognised=rule is not None,
        score=best.score,
        margin=margin,
        reason=explain(
            verdict=verdict,
            snapshot=snapshot,
            best=best,
            second=ranked[1],
            outside=outside,
            nearest=nearest,
            set_aside=core.set_aside,
            degraded=degraded,
        ),
        nearest=nearest,
        matched_terms=best.terms,
        set_aside=core.set_aside,
        degraded=degraded,
    )


def _verdict(text: str, best: IntentScore, margin: float, outside: float | None, snapshot: PolicySnapshot) -> Verdict:
    settings = snapshot.classifier
    if not text:
        return Verdict.EMPTY
    if outside is None:
        if best.score < settings.minimum_term_points:
            return Verdict.TOO_LOW
        return Verdict.RECOGNISED if margin >= settings.minimum_term_margin else Verdict.TOO_CLOSE
    if outside >= best.score:
        return Verdict.OUTSIDE
    if best.score < settings.minimum_score:
        return Verdict.TOO_LOW
    return Verdict.RECOGNISED if margin >= settings.minimum_margin else Verdict.TOO_CLOSE
