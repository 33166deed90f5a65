"""Who takes part in removing: stores, what may stand in the way, and who is told. Registered in AppConfig.ready."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from apps.audit.erasure.contracts import (
    WHOLE,
    KeptWithin,
    Obstacle,
    Origin,
    ReleaseHook,
    RemovalHook,
    RunListener,
    Store,
    Target,
    TargetType,
)
from apps.tenants.ids import TenantId

_stores: dict[str, Store] = {}
_obstacles: list[Obstacle] = []
_within: list[KeptWithin] = []
_release_hooks: list[ReleaseHook] = []
_listeners: dict[Origin, RunListener] = {}
_before_removal: list[RemovalHook] = []
_after_removal: list[RemovalHook] = []


def register_store(*stores: Store) -> None:
    for store in stores:
        known = _stores.get(store.key)
        if known is not None and type(known) is not type(store):
            raise ValueError(f"the store {store.key} is registered twice, differently")
        _stores[store.key] = store


def stores() -> tuple[Store, ...]:
    """In the order in which they are cleared."""
    return tuple(sorted(_stores.values(), key=lambda store: (store.phase, store.key)))


def stores_for(type: TargetType) -> tuple[Store, ...]:
    """The stores that know targets of this type: by their `types`, or by the keys of their `found_by` (rows.Rows)."""
    return tuple(store for store in stores() if type in types_of(store))


def types_of(store: Store) -> frozenset[TargetType]:
    """Those that it may hold something of; none where it does not say."""
    declared = getattr(store, "types", None) or getattr(store, "found_by", None) or ()
    return frozenset(declared)


def register_obstacle(obstacle: Obstacle, within: KeptWithin | None = None) -> None:
    """within: what the same obstacle keeps inside a scope or tenant, where it knows of things in them."""
    if obstacle not in _obstacles:
        _obstacles.append(obstacle)
    if within is not None and within not in _within:
        _within.append(within)


def kept(targets: Sequence[Target]) -> dict[Target, str]:
    """Of the targets, those that must stay, with a ground each. See Obstacle."""
    return {target: ground for obstacle in _obstacles for target, ground in obstacle(targets).items()}


def kept_within(targets: Sequence[Target]) -> dict[Target, dict[Target, str]]:
    """Of the scopes and tenants among the targets, those in which something must stay: what, with a ground each.

    Costs: a query or two for each obstacle; none where there is no scope and no tenant among the targets.
    """
    wholes = [target for target in targets if target.type in WHOLE]
    found: dict[Target, dict[Target, str]] = {}
    for within in _within if wholes else ():
        for whole, items in within(wholes).items():
            if items:
                found.setdefault(whole, {}).update(items)
    return found


def register_release_hook(hook: ReleaseHook) -> None:
    if hook not in _release_hooks:
        _release_hooks.append(hook)


def released(targets: Sequence[Target]) -> None:
    """Tell that the targets are no longer kept, within the transaction that releases them."""
    for hook in _release_hooks:
        hook(targets)


def register_listener(origin: Origin, listener: RunListener) -> None:
    known = _listeners.setdefault(origin, listener)
    if known is not listener:
        raise ValueError(f"runs of {origin} have a listener already")


def listener_of(origin: Origin) -> RunListener | None:
    return _listeners.get(origin)


def register_before_removal(hook: RemovalHook) -> None:
    if hook not in _before_removal:
        _before_removal.append(hook)


def register_after_removal(hook: RemovalHook) -> None:
    if hook not in _after_removal:
        _after_removal.append(hook)


def before_removal(
    *, tenant_id: TenantId, run_id: UUID, origin: Origin, reason_code: str, targets: Sequence[Target]
) -> None:
    """A run is about to remove these, each time that it is taken up. Not within a transaction: see RemovalHook."""
    for hook in _before_removal:
        hook(tenant_id=tenant_id, run_id=run_id, origin=origin, reason_code=reason_code, targets=targets)


def after_removal(
    *, tenant_id: TenantId, run_id: UUID, origin: Origin, reason_code: str, targets: Sequence[Target]
) -> None:
    """A run has ended, and left these. Not within a transaction: see RemovalHook."""
    for hook in _after_removal:
        hook(tenant_id=tenant_id, run_id=run_id, origin=origin, reason_code=reason_code, targets=targets)
