"""Read who may ask where at an instant, by role and not by name."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from django.db.models import Q

from apps.intents.access.facts import scope_tree
from apps.intents.proof.facts import Held
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, Membership
from apps.tenants.roles import Permission, Role, allows
from apps.tenants.selectors.grants import subtree


def held_at(at: datetime) -> Held:
    """Return, for each role that may ask, the scopes in which somebody held it at an instant.

    The scopes of a person's memberships add up, as they do for a request: somebody who is an analyst in one fund and an
    auditor in another asks in both, as an analyst. A key that acts for a person opens nothing that the person's
    memberships don't, so it adds nothing. Accounts that are deactivated count: no dates are kept for that.
    Costs: four queries and the opening of the tenant's directory.
    """
    roots: defaultdict[str, set[ScopeId]] = defaultdict(set)
    roles, holder = _people(at)
    for membership, scope in _granted(at, "membership_id", holder):
        for role in roles[holder[membership]]:
            roots[role].add(scope)
    keys = dict(
        ApiKey.objects.filter(_not_ended("revoked_at", at), _not_ended("expires_at", at), created_at__lte=at)
        .filter(person__isnull=True)
        .values_list("id", "role")
    )
    for key, scope in _granted(at, "api_key_id", keys):
        roots[keys[key]].add(scope)
    tree = scope_tree(at)
    asking = [role.value for role in Role if allows([role], Permission.QUESTION_ASK)]
    return {
        role: frozenset(map(str, subtree(roots[role], tree) & {scope.id for scope in tree}))
        for role in asking
        if roots[role]
    }


def _people(at: datetime) -> tuple[dict[UUID, set[str]], dict[UUID, UUID]]:
    """Return the roles of each person, and whose each membership is."""
    rows = Membership.objects.filter(_not_ended("revoked_at", at), confirmed_at__lte=at).order_by()
    roles: defaultdict[UUID, set[str]] = defaultdict(set)
    holder: dict[UUID, UUID] = {}
    for membership, person, role in rows.values_list("id", "user_id", "role"):
        roles[person].add(role)
        holder[membership] = person
    return roles, holder


def _granted(at: datetime, column: str, holders: Iterable[UUID]) -> list[tuple[UUID, ScopeId]]:
    valid = Grant.objects.filter(_not_ended("valid_to", at), valid_from__lte=at, **{f"{column}__in": list(holders)})
    return [(holder, ScopeId(scope)) for holder, scope in valid.order_by().values_list(column, "scope_id")]


def _not_ended(column: str, at: datetime) -> Q:
    return Q(**{f"{column}__isnull": True}) | Q(**{f"{column}__gt": at})
