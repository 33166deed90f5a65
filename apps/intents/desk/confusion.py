"""The confusion matrix, with the expected intents as rows and the given intents as columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.intents.desk.examination import Examination


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """The number of examples of one intent that were given one intent. share: of the row's examples, 0 to 1."""

    given: str
    label: str
    examples: int
    share: float
    right: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfusionRow:
    """One intent's examples. `label` names the intent, or the unrecognised."""

    expected: str
    label: str
    examples: int
    correct: int
    cells: tuple[MatrixCell, ...]

    @property
    def accuracy(self) -> float:
        """0 to 1; 0 without examples."""
        return self.correct / self.examples if self.examples else 0.0


def confusion_rows(examination: Examination, snapshot: PolicySnapshot) -> tuple[ConfusionRow, ...]:
    """Return a row for each intent in the policy's order, unrecognised last, with a cell for each of these intents."""
    counts = Counter((each.example.intent, each.decision.intent) for each in examination.outcomes)
    names = [*(rule.name for rule in snapshot.intents), UNRECOGNISED]
    return tuple(_row(expected, names, counts, snapshot) for expected in names)


def _row(expected: str, names: list[str], counts: Counter[tuple[str, str]], snapshot: PolicySnapshot) -> ConfusionRow:
    total = sum(counts[expected, given] for given in names)
    return ConfusionRow(
        expected=expected,
        label=snapshot.label_of(expected),
        examples=total,
        correct=counts[expected, expected],
        cells=tuple(
            MatrixCell(
                given=given,
                label=snapshot.label_of(given),
                examples=counts[expected, given],
                share=counts[expected, given] / total if total else 0.0,
                right=given == expected,
            )
            for given in names
        ),
    )
