"""Whether a policy can follow the one in force: what documents there are decides which kinds it must keep."""

from __future__ import annotations

from apps.corpus.selectors import kinds_of_documents
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.selectors import policy_in_force
from apps.intents.validation import policy_problems, successor_problems


def usage_problems(snapshot: PolicySnapshot) -> tuple[str, ...]:
    """Return every problem that keeps a policy from being used next in the open tenant, one sentence each.

    Costs: two queries beside those of policy_in_force.
    """
    in_force = policy_in_force()
    return (*policy_problems(snapshot, in_force), *successor_problems(in_force, snapshot, kinds_of_documents()))


def require_successor(snapshot: PolicySnapshot) -> None:
    """Raise InvalidPolicyError with all problems, unless the policy can follow the one in force."""
    problems = tuple(successor_problems(policy_in_force(), snapshot, kinds_of_documents()))
    if problems:
        raise InvalidPolicyError(problems=problems)
