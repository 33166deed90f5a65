"""Test a policy's classifier on its own golden examples, leaving each one out in turn."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from apps.intents.classifier import classify_by
from apps.intents.contracts import PolicySnapshot
from apps.intents.scoring import Vector, similarities_left_out


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionCell:
    """The number of examples of one intent that the classifier gave another intent (or the same)."""

    expected: str
    given: str
    examples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Misclassified:
    """An example that did not get its intent, with the classifier's reason."""

    text: str
    expected: str
    given: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenCheck:
    """The outcome of a check; `accuracy` is the share of examples that got their intent, 0 to 1.

    unreachable: names of intents that, as far as the examples show, no question can get: none of the intent's own
        examples is recognised as such.
    """

    examples: int
    correct: int
    accuracy: float
    minimum_accuracy: float
    confusion: tuple[ConfusionCell, ...]
    misclassified: tuple[Misclassified, ...]
    unreachable: tuple[str, ...]
    degraded: bool

    @property
    def passed(self) -> bool:
        return self.accuracy >= self.minimum_accuracy and not self.unreachable


def golden_check(snapshot: PolicySnapshot, example_vectors: Vector | None) -> GoldenCheck:
    """Classify every golden example without its own vector, and count the results.

    Args:    example_vectors: (n, d) float32, unit norm, row i for snapshot.examples[i]; None checks the terms alone.
    Returns: the accuracy, the confusion matrix (only cells that are not empty), and the misclassified examples in the
             policy's order.
    """
    cells: Counter[tuple[str, str]] = Counter()
    misclassified: list[Misclassified] = []
    left_out = similarities_left_out(snapshot, example_vectors)
    for index, (example, similarities) in enumerate(zip(snapshot.examples, left_out, strict=True)):
        rest = replace(snapshot, examples=snapshot.examples[:index] + snapshot.examples[index + 1 :])
        decision = classify_by(example.text, rest, similarities)
        cells[example.intent, decision.intent] += 1
        if decision.intent != example.intent:
            misclassified.append(
                Misclassified(text=example.text, expected=example.intent, given=decision.intent, reason=decision.reason)
            )
    total = len(snapshot.examples)
    correct = total - len(misclassified)
    return GoldenCheck(
        examples=total,
        correct=correct,
        accuracy=correct / total if total else 0.0,
        minimum_accuracy=snapshot.classifier.minimum_golden_accuracy,
        confusion=tuple(
            ConfusionCell(expected=expected, given=given, examples=count)
            for (expected, given), count in sorted(cells.items())
        ),
        misclassified=tuple(misclassified),
        unreachable=tuple(rule.name for rule in snapshot.intents if not cells[rule.name, rule.name]),
        degraded=example_vectors is None,
    )
