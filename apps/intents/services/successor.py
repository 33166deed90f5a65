"""Whether a policy can follow the one in force: what documents there are decides which kinds it must keep."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import connection

from apps.corpus.selectors import documents_by_kind
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import InvalidPolicyError
from apps.intents.selectors import policy_in_force
from apps.intents.validation import policy_problems, successor_problems


def documented_kinds() -> frozenset[str]:
    """Return the kinds of which the open tenant has documents, whatever their state and scope, restricted ones too.

    Raises: DatabaseError: the principal may not read the policy.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT intents_documented_kinds()")
        return frozenset(kind for (kind,) in cursor.fetchall())


def documents_of_kinds() -> Mapping[str, int]:
    """Return how many documents the open scope has of each kind, and 0 for one that only hidden documents have."""
    return {**dict.fromkeys(documented_kinds(), 0), **documents_by_kind()}


def usage_problems(snapshot: PolicySnapshot) -> tuple[str, ...]:
    """Return every problem that keeps a policy from being used next in the open tenant, one sentence each.

    Costs: two queries beside those of policy_in_force.
    """
    in_force = policy_in_force()
    return (*policy_problems(snapshot, in_force), *successor_problems(in_force, snapshot, documented_kinds()))


def require_successor(snapshot: PolicySnapshot) -> None:
    """Raise InvalidPolicyError with all problems, unless the policy can follow the one in force."""
    problems = tuple(successor_problems(policy_in_force(), snapshot, documented_kinds()))
    if problems:
        raise InvalidPolicyError(problems=problems)
