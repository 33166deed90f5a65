"""The open tenant's directory for its screens: the tree of scopes, and who reaches what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, Model, OuterRef, QuerySet, Subquery

from apps.tenants.models import ApiKey, Grant, Membership, Scope
from apps.tenants.models.membership import IN_FORCE

HolderT = TypeVar("HolderT", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeNode:
    """A scope at its place in the tree. Depth 0 means that the reader can see no scope above it."""

    scope: Scope
    depth: int


def scope_tree() -> tuple[ScopeNode, ...]:
    """Return the visible scopes, parents before children, siblings by key. One query."""
    scopes = list(Scope.objects.order_by("key"))
    known = {scope.id for scope in scopes}
    children: dict[UUID | None, list[Scope]] = defaultdict(list)
    for scope in scopes:
        children[scope.parent_id if scope.parent_id in known else None].append(scope)
    nodes: list[ScopeNode] = []
    waiting = [ScopeNode(scope=scope, depth=0) for scope in reversed(children[None])]
    while waiting:
        node = waiting.pop()
        nodes.append(node)
        waiting.extend(
            ScopeNode(scope=child, depth=node.depth + 1) for child in reversed(children.get(node.scope.id, []))
        )
    return tuple(nodes)


def with_reach(holders: QuerySet[HolderT]) -> QuerySet[Any]:
    """Annotate memberships or API keys with `scope_keys`: the keys of the scopes that each is granted now.

    A scope that the reader may not see appears as None, because its policy hides the row from the inner query.
    """
    holder = "membership" if holders.model is Membership else "api_key"
    key = Scope.objects.filter(id=OuterRef("scope_id")).values("key")
    grants = Grant.objects.filter(**{holder: OuterRef("pk")}, valid_to__isnull=True).order_by()
    # An aggregate over a join does not work: the primary key is (tenant_id, id), and PostgreSQL refuses to group by id
    # alone.
    return holders.annotate(scope_keys=ArraySubquery(grants.annotate(found=Subquery(key)).values("found")))


def with_person(keys: QuerySet[ApiKey]) -> QuerySet[Any]:
    """Annotate API keys with `role_held`, whether the key's person still holds its role here, and join the person."""
    membership = Membership.objects.filter(IN_FORCE, user_id=OuterRef("person_id"), role=OuterRef("role"))
    return keys.select_related("person").annotate(role_held=Exists(membership))


def reach_in_words(scope_keys: Iterable[str | None], *, hidden_words: str = "more that you may not see") -> str:
    """Return scope keys as text, such as `fund:alpha, fund:beta, 1 more that you may not see`; "none" without any."""
    keys = list(scope_keys)
    seen = sorted(key for key in keys if key is not None)
    hidden = len(keys) - len(seen)
    if hidden:
        seen.append(f"{hidden} {hidden_words}")
    return ", ".join(seen) or "none"
