"""Classify every golden example without itself, and find the examples nearest to it.

The classifier is the same as for a question, with the same leave-one-out as in apps/intents/check.py, so that the desk
shows the figures by which a version is approved. 141 examples of the baseline take 0.15 s, so nothing is cached.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from apps.intents.classifier import classify_by
from apps.intents.contracts import GoldenQuestion, IntentDecision, PolicySnapshot
from apps.intents.matching import words
from apps.intents.scoring import Vector, nearest_means, similarities_left_out

NEIGHBOURS_SHOWN: Final = 3
# Paraphrases in the baseline reach 0.84; two examples above this value are nearly the same in wording.
NEARLY_THE_SAME: Final = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another golden example. cosine_similarity is None where there are no vectors."""

    example: GoldenQuestion
    cosine_similarity: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleOutcome:
    """The result for an example when it is left out.

    nearest: the nearest other examples, best first; empty without vectors.
    twin: another example that says nearly the same; None if there is none.
    nearer_to: the intent (or UNRECOGNISED) whose nearest examples are on average nearer to it than those of its own;
               None where its own are the nearest, and without vectors.
    """

    example: GoldenQuestion
    decision: IntentDecision
    nearest: tuple[Neighbour, ...]
    twin: Neighbour | None
    nearer_to: str | None

    @property
    def right(self) -> bool:
        return self.decision.intent == self.example.intent


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All examples of a version, in its order. degraded: judged by the terms alone."""

    outcomes: tuple[ExampleOutcome, ...]
    minimum_accuracy: float
    degraded: bool

    @property
    def correct(self) -> int:
        return sum(outcome.right for outcome in self.outcomes)

    @property
    def accuracy(self) -> float:
        """Share of the examples that get their intent, 0 to 1."""
        return self.correct / len(self.outcomes) if self.outcomes else 0.0

    @property
    def passed(self) -> bool:
        return self.accuracy >= self.minimum_accuracy


def cannot_classify(snapshot: PolicySnapshot) -> str:
    """Return why the classifier can't work with a policy, or "". A draft may be incomplete or invalid."""
    if len(snapshot.intents) < 2:
        return "It has fewer than two intents: there is nothing to tell apart."
    if not snapshot.examples:
        return "It has no review examples."
    if snapshot.classifier.points_for_full_weight <= 0:
        return "Its points for the full term weight are not more than 0."
    return ""


def examine(snapshot: PolicySnapshot, vectors: Vector | None) -> Examination:
    """Classify each golden example without itself.

    Args:    snapshot: a policy for which `cannot_classify` returns "".
             vectors: (n, d) float32, unit norm, row i for snapshot.examples[i]; None to judge by the terms alone.
    Returns: one outcome an example, in the snapshot's order.
    Raises:  ExampleVectorsMismatchError: the number of rows is not the number of examples.
    """
    return Examination(
        outcomes=tuple(
            _outcome(snapshot, index, similarities)
            for index, similarities in enumerate(similarities_left_out(snapshot, vectors))
        ),
        minimum_accuracy=snapshot.classifier.minimum_golden_accuracy,
        degraded=vectors is None,
    )


def _outcome(snapshot: PolicySnapshot, index: int, similarities: tuple[float, ...] | None) -> ExampleOutcome:
    example = snapshot.examples[index]
    rest = replace(snapshot, examples=snapshot.examples[:index] + snapshot.examples[index + 1 :])
    ranked = _ranked(rest.examples, similarities)
    return ExampleOutcome(
        example=example,
        decision=classify_by(example.text, rest, similarities),
        nearest=ranked[:NEIGHBOURS_SHOWN] if similarities is not None else (),
        twin=_twin(example, ranked),
        nearer_to=_nearer_to(example.intent, rest, similarities),
    )


def _ranked(examples: tuple[GoldenQuestion, ...], similarities: tuple[float, ...] | None) -> tuple[Neighbour, ...]:
    """Return the other examples, nearest first; ties, and all without vectors, keep the policy's order."""
    if similarities is None:
        return tuple(Neighbour(example=each, cosine_similarity=None) for each in examples)
    pairs = sorted(zip(similarities, examples, strict=True), key=lambda pair: -pair[0])
    return tuple(Neighbour(example=each, cosine_similarity=similarity) for similarity, each in pairs)


def _twin(example: GoldenQuestion, ranked: tuple[Neighbour, ...]) -> Neighbour | None:
    """Return the nearest example with nearly the same vector, or with the same words in any order, or None."""
    own = sorted(words(example.text))
    for other in ranked:
        if other.cosine_similarity is not None and other.cosine_similarity >= NEARLY_THE_SAME:
            return other
        if sorted(words(other.example.text)) == own:
            return other
    return None


def _nearer_to(intent: str, rest: PolicySnapshot, similarities: tuple[float, ...] | None) -> str | None:
    means = nearest_means(rest, similarities)
    own = means.get(intent)
    if own is None:
        return None
    best = max(means, key=lambda name: means[name] or 0.0)
    return best if (means[best] or 0.0) > own else None
