"""The one place where other apps register what they declare to erasure, each in its AppConfig.ready.

The packages of this app and the apps above it read these registries. The types of the declarations are defined in
contracts.py and declarations/. tests/audit/test_registries.py fails if nothing is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import psycopg

from apps.erasure.contracts import (
    WHOLE,
    Contents,
    DigestKind,
    DigestSource,
    KeptWithin,
    Obstacle,
    Origin,
    RunListener,
    Store,
    Target,
    TargetType,
)
from apps.erasure.declarations.classified import Classified
from apps.erasure.declarations.holdable import HOLDABLE, Items
from apps.erasure.declarations.looked_for import GivenTexts, LookedFor
from apps.erasure.declarations.retained import EVENT, RetainedSubject
from apps.erasure.declarations.searched import Searched

if TYPE_CHECKING:
    from apps.erasure.models import RemovalRun

# Returns the notes that the app of an origin shows to the person who decides on a proposal.
Notes = Callable[["RemovalRun"], Sequence[str]]

_stores: dict[str, Store] = {}
_contents: list[Contents] = []
_obstacles: list[Obstacle] = []
_within: list[KeptWithin] = []
_items: dict[TargetType, Items] = {}
_listeners: dict[Origin, RunListener] = {}
_notes: dict[Origin, Notes] = {}
_given: dict[Origin, GivenTexts] = {}
_looked_for: list[LookedFor] = []
_digest_sources: list[DigestSource] = []
_retained: dict[str, RetainedSubject] = {}
_searched: list[Searched] = []
_classified: dict[str, Classified] = {}


def register_store(*stores: Store) -> None:
    """Register stores. A key is that of one store: the tables of another one of that key would never be cleared."""
    for store in stores:
        known = _stores.get(store.key)
        if known is not None and _declared(known) != _declared(store):
            raise ValueError(f"the store {store.key} is registered twice, differently")
        _stores[store.key] = store


def _declared(store: Store) -> list[object]:
    values: list[object] = [getattr(store, each.name) for each in fields(store)] if is_dataclass(store) else []
    return [type(store), *values]


def stores() -> tuple[Store, ...]:
    """Return the stores in the order in which they are cleared."""
    return tuple(sorted(_stores.values(), key=lambda store: (store.phase, store.key)))


def stores_for(type: TargetType) -> tuple[Store, ...]:
    """Return the stores that know this type, by their `types` or by the keys of their `found_by` (rows.Rows)."""
    return tuple(store for store in stores() if type in types_of(store))


def types_of(store: Store) -> frozenset[TargetType]:
    """Return the target types of which the store may hold something, or no type if it does not declare any."""
    declared = getattr(store, "types", None) or getattr(store, "found_by", None) or ()
    return frozenset(declared)


def register_contents(contents: Contents) -> None:
    """Register a function that returns what a scope or a tenant contains."""
    if contents not in _contents:
        _contents.append(contents)


def contents_of(targets: Iterable[Target]) -> set[Target]:
    """Return the targets together with what the scopes and tenants among them contain."""
    whole = set(targets)
    for contents in _contents:
        whole.update(contents(sorted(whole)))
    return whole


def register_obstacle(obstacle: Obstacle, within: KeptWithin | None = None) -> None:
    """Register an obstacle. within: returns what the same obstacle keeps inside a scope or tenant, if it knows that."""
    if obstacle not in _obstacles:
        _obstacles.append(obstacle)
    if within is not None and within not in _within:
        _within.append(within)


def kept(targets: Sequence[Target]) -> dict[Target, str]:
    """Return the targets that must stay, each with a ground. See Obstacle."""
    return {target: ground for obstacle in _obstacles for target, ground in obstacle(targets).items()}


def kept_within(targets: Sequence[Target]) -> dict[Target, dict[Target, str]]:
    """Return the scopes and tenants among the targets in which something must stay, with those items and their grounds.

    Costs: a query or two for each obstacle; none if there is no scope and no tenant among the targets.
    """
    wholes = [target for target in targets if target.type in WHOLE]
    found: dict[Target, dict[Target, str]] = {}
    for within in _within if wholes else ():
        for whole, items in within(wholes).items():
            if items:
                found.setdefault(whole, {}).update(items)
    return found


def register_items(type: TargetType, items: Items) -> None:
    """Register how items of one holdable type are shown and found."""
    if type not in HOLDABLE:
        raise ValueError(f"{type} is nothing that can be held")
    known = _items.setdefault(type, items)
    if known is not items:
        raise ValueError(f"{type} has a source of items already")


def items_of(type: TargetType) -> Items:
    """Return the source of items of a type. Raises KeyError: the type is not registered."""
    return _items[type]


def register_listener(origin: Origin, listener: RunListener) -> None:
    known = _listeners.setdefault(origin, listener)
    if known is not listener:
        raise ValueError(f"runs of {origin} have a listener already")


def listener_of(origin: Origin) -> RunListener | None:
    return _listeners.get(origin)


def register_notes(origin: Origin, notes: Notes) -> None:
    _notes[origin] = notes


def notes_of(run: RemovalRun) -> Sequence[str]:
    notes = _notes.get(Origin(run.origin))
    return notes(run) if notes else ()


def register_given_texts(origin: Origin, given: GivenTexts) -> None:
    known = _given.setdefault(origin, given)
    if known is not given:
        raise ValueError(f"what is given for {origin} is registered already")


def given_texts(connection: psycopg.Connection[Any], *, origin: Origin, tenant_id: UUID, origin_id: UUID) -> list[str]:
    found = _given.get(origin)
    return [] if found is None else [text for text in found(connection, tenant_id, origin_id) if text.strip()]


def register_looked_for(*queries: LookedFor) -> None:
    for query in queries:
        if query not in _looked_for:
            _looked_for.append(query)


def looked_for(type: TargetType) -> tuple[LookedFor, ...]:
    return tuple(query for query in _looked_for if query.type is type)


def register_digest_source(source: DigestSource) -> None:
    if source not in _digest_sources:
        _digest_sources.append(source)


def values_to_digest(targets: Sequence[Target]) -> set[tuple[DigestKind, str]]:
    """Return the values of the targets whose digests a tombstone keeps. Runs in the open scope."""
    return {pair for source in _digest_sources for pair in source(targets)}


def register_retained(*subjects: RetainedSubject) -> None:
    for subject in subjects:
        known = _retained.setdefault(subject.key, subject)
        if known != subject or subject.key.startswith(EVENT):
            raise ValueError(f"{subject.key} is registered twice, differently")


def retained() -> tuple[RetainedSubject, ...]:
    """Return the registered subjects, without the event classes: for those see retention/subjects.py."""
    return tuple(_retained.values())


def register_searched(*sources: Searched) -> None:
    for source in sources:
        taken = {store for known in _searched for store in known.stores}.intersection(source.stores)
        if taken and not any(known.stores == source.stores and type(known) is type(source) for known in _searched):
            raise ValueError(f"the texts of {', '.join(sorted(taken))} are registered twice, differently")
        if not taken:
            _searched.append(source)


def searched() -> tuple[Searched, ...]:
    return tuple(sorted(_searched, key=lambda source: source.stores))


def searched_of(store: str) -> Searched:
    """Return the source of texts of a store. Raises KeyError: the store is not registered."""
    for source in _searched:
        if store in source.stores:
            return source
    raise KeyError(store)


def classify(*entries: Classified) -> None:
    """Classify what columns and other places hold. A repeated call must say the same of a place."""
    for entry in entries:
        if _classified.setdefault(entry.name, entry) != entry:
            raise ValueError(f"{entry.name} is classified twice, differently")


def classified() -> tuple[Classified, ...]:
    return tuple(_classified[name] for name in sorted(_classified))
