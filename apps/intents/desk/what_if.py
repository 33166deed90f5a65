"""What one golden example more or less changes for all the others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from apps.intents.contracts import GoldenQuestion, PolicySnapshot
from apps.intents.desk.examination import Examination
from apps.intents.scoring import Vector


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedOutcome:
    """An example that gets another intent than it did."""

    example: GoldenQuestion
    before: str
    after: str

    @property
    def better(self) -> bool:
        """It gets its own intent now, and did not before."""
        return self.after == self.example.intent


def without_example(
    snapshot: PolicySnapshot, vectors: Vector | None, example_id: UUID
) -> tuple[PolicySnapshot, Vector | None]:
    """The policy as if it did not have the example, and the vectors of those that are left.

    Args:    vectors: (n, d), row i for snapshot.examples[i]; None stays None.
    """
    kept = [index for index, example in enumerate(snapshot.examples) if example.id != example_id]
    rest = replace(snapshot, examples=tuple(snapshot.examples[index] for index in kept))
    return rest, None if vectors is None else vectors[np.array(kept, dtype=np.intp)]


def changed_outcomes(before: Examination, after: Examination) -> tuple[ChangedOutcome, ...]:
    """The examples of both that get another intent, in the order of the second."""
    earlier = {outcome.example.id: outcome.decision.intent for outcome in before.outcomes}
    return tuple(
        ChangedOutcome(example=each.example, before=earlier[each.example.id], after=each.decision.intent)
        for each in after.outcomes
        if each.example.id in earlier and earlier[each.example.id] != each.decision.intent
    )
