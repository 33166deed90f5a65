"""The kinds of documents as the corpus asks for them: those of the policy in force."""

from __future__ import annotations

from django.db.models.functions import Now

from apps.corpus.registry import KindInForce
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshots


def kinds_of_policy() -> tuple[KindInForce, ...]:
    """Return the kinds of the open tenant's policy in force, by priority. Raises NoPolicyInForceError."""
    return kinds_of(policy_in_force())


def kinds_left_out() -> dict[str, int]:
    """Return the kinds of the policy in force that a version leaves out which is approved and waits for its time.

    Returns: kind -> the number of the first such version.
    Costs:   one query; those of policy_in_force and of version_snapshots, if a version waits.
    """
    waiting = PolicyVersion.objects.filter(status=VersionStatus.APPROVED, effective_from__gt=Now())
    versions = list(waiting.order_by("-effective_from", "-number"))
    if not versions:
        return {}
    contents = version_snapshots(versions)
    kinds = {budget.kind.value for budget in policy_in_force().budgets}
    left: dict[str, int] = {}
    for version in versions:
        stays = {budget.kind.value for budget in contents[version.id].budgets}
        left.update(dict.fromkeys(kinds - stays, version.number))
    return left


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
