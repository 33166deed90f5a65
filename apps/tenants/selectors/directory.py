"""The open tenant's directory for its screens: the tree of scopes, and who reaches what."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db.models import Model, Q, QuerySet

from apps.tenants.models import Scope

HolderT = TypeVar("HolderT", bound=Model)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeNode:
    """A scope at its place in the tree; depth 0 is the topmost that the open scope may see."""

    scope: Scope
    depth: int


def scope_tree() -> tuple[ScopeNode, ...]:
    """The visible scopes, parents before children, siblings by key. One query."""
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


def with_reach(holders: QuerySet[HolderT]) -> QuerySet[HolderT]:
    """Memberships or API keys, each with `scope_keys`: the keys of the scopes that it reaches now.

    A scope that the reader may not see is None in it: the policy hides its row from the outer join.
    """
    return holders.annotate(
        scope_keys=ArrayAgg(
            "grants__scope__key",
            filter=Q(grants__isnull=False, grants__valid_to__isnull=True),
            default=[],
            order_by="grants__scope__key",
        )
    )


def reach_in_words(scope_keys: Iterable[str | None]) -> str:
    """fund:alpha, fund:beta and 1 more that you may not see."""
    keys = list(scope_keys)
    seen = [key for key in keys if key is not None]
    hidden = len(keys) - len(seen)
    if hidden:
        seen.append(f"{hidden} more that you may not see")
    return ", ".join(seen) or "none"
