"""The kinds of documents as the corpus asks for them: those of the policy in force."""

from __future__ import annotations

from apps.corpus.registry import KindInForce
from apps.intents.contracts import PolicySnapshot
from apps.intents.selectors import policy_in_force


def kinds_of_policy() -> tuple[KindInForce, ...]:
    """Return the kinds of the open tenant's policy in force, by priority. Raises NoPolicyInForceError."""
    return kinds_of(policy_in_force())


def kinds_of(snapshot: PolicySnapshot) -> tuple[KindInForce, ...]:
    return tuple(
        KindInForce(
            kind=budget.kind,
            name=budget.name or budget.kind.label,
            description=budget.description,
            examples=budget.examples,
            retention_class=budget.retention_class,
            source_category=budget.source_category,
            uploaders=budget.uploaders,
            correctors=budget.correctors,
            removers=budget.removers,
            retired=budget.retired,
            readers=tuple(rule.label for rule in snapshot.reaches if budget.kind in rule.kinds),
        )
        for budget in sorted(snapshot.budgets, key=lambda budget: budget.position)
    )
