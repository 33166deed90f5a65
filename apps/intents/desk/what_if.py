"""Find what adding or removing one golden example changes for the others."""

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
        """Return whether the example gets its own intent now; it did not before."""
        return self.after == self.example.intent


def without_example(
    snapshot: PolicySnapshot, vectors: Vector | None, example_id: UUID
) -> tuple[PolicySnapshot, Vector | None]:
    """Return the policy without the example, and the vectors of the remaining examples.

    Args:    vectors: (n, d), row i for snapshot.examples[i]; None stays None.
    """
    kept = [index for index, example in enumerate(snapshot.examples) if example.id != example_id]
    rest = replace(snapshot, examples=tuple(snapshot.examples[index] for index in kept))
    return rest, None if vectors is None else vectors[np.array(kept, dtype=np.intp)]


def changed_outcomes(before: Examination, after: Examination) -> tuple[ChangedOutcome, ...]:
    """Return the examples of both that get another intent than before, in the order of `after`."""
    earlier = {outcome.example.id: outcome.decision.intent for outcome in before.outcomes}
    return tuple(
        ChangedOutcome(example=each.example, before=earlier[each.example.id], after=each.decision.intent)
        for each in after.outcomes
        if each.example.id in earlier and earlier[each.example.id] != each.decision.intent
    )
