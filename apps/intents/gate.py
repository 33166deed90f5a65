"""The first compliance gate: from an intent to the permitted kinds. A pure look-up, in which no model takes part."""

from __future__ import annotations

from apps.intents.contracts import UNRECOGNISED, IntentDecision, KindGrant, PolicySnapshot


def gate(decision: IntentDecision, snapshot: PolicySnapshot) -> KindGrant:
    """Return what a question may reach under a policy version.

    Args:    decision: the question's intent; an intent that the snapshot does not have counts as unrecognised.
             snapshot: the policy version in force.
    Returns: permitted and withheld kinds, both in budget order; every kind of the version is in exactly one of them. A
             kind that the version does not have is withheld, even if an intent names it.
    """
    rule = snapshot.intent(decision.intent) if decision.recognised else None
    allowed = frozenset(rule.kinds if rule else snapshot.fallback.kinds)
    budgets = tuple(
        sorted((budget for budget in snapshot.budgets if budget.kind in allowed), key=lambda budget: budget.position)
    )
    permitted = tuple(budget.kind for budget in budgets)
    kinds = snapshot.kinds
    without = dict.fromkeys(kind for each in snapshot.reaches for kind in each.kinds)
    return KindGrant(
        intent=rule.name if rule else UNRECOGNISED,
        permitted=permitted,
        withheld=(
            *(kind for kind in kinds if kind not in permitted),
            *(kind for kind in without if kind not in kinds),
        ),
        policy_version=snapshot.number,
        policy_version_id=snapshot.version_id,
        budgets=budgets,
        total_cap_chars=snapshot.total_cap_chars,
        recording_mode=rule.recording_mode if rule else snapshot.fallback.recording_mode,
    )
