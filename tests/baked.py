"""Worlds that are built once by a worker, by the real services, and put back as rows whenever a test asks for them.

    world = baked(make_world)            # the first time: 4,400 statements; then: 50 copies
    office = baked(make_office)
    found = baked(found_in, on=office)   # what is built upon it, likewise

What is put back is what was built: the same ids, keys and times. So whatever outlives the rows of an earlier test and
knows those ids goes with them: Redis, exported checkpoints and tombstones. What this process remembers is put back to
what it remembered when the world was built.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeVar, cast
from uuid import UUID

from django.conf import settings
from django.core.cache import cache
from django.db import connection

from apps.audit.keys import data_keys
from apps.audit.keys.cache import DataKeyInUse
from apps.audit.log import attesting
from apps.erasure.tombstones import chain
from apps.intents import selectors
from apps.intents.contracts import PolicySnapshot
from apps.intents.scoring import Vector
from apps.intents.services import golden
from tests.rows import Rows, filled_tables, next_transaction, put_rows_back, remember_rows

World = TypeVar("World")


_Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Memories:
    """What this process knows of tenants without asking: their data keys, policies, and the vectors of examples."""

    keys: Mapping[tuple[UUID, str], DataKeyInUse]
    policies: Mapping[Any, PolicySnapshot]
    examples: Mapping[Any, Vector]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Baked:
    """What is put back; the value is copied each time, so that no test sees what another one did to it."""

    rows: Rows
    memories: _Memories
    value: Any


_worlds: Final[dict[_Key, _Baked]] = {}
# The world that was put back last, and the transaction that was next then: while it is, nobody has written since.
_there: list[tuple[_Key, int]] = []


def baked(build: Callable[..., World], *arguments: Any, on: Any = None, **named: Any) -> World:
    """Commit what `build(*arguments, **named)` commits to an empty database, and return an equal of what it returns.

    The builder must leave nothing behind but rows, and return something that can be copied. Of settings it may depend
    on what is the same wherever it is baked, and on which backends make the vectors, but not on their addresses.

    Args:   on: what the last `baked` returned. The builder gets it first, and builds upon it: it may be put back
                while nobody has written since, and is built by the services else.
    Raises: AssertionError: a transaction is open, or the database is not empty.
    """
    assert not connection.in_atomic_block, "a baked world is committed"
    key: _Key = (build, arguments, tuple(sorted(named.items())), _backends())
    if on is None:
        assert not filled_tables(), "something is committed already, with which the world would be mixed"
    else:
        arguments = (on, *arguments)
        if not (_there and _there[0][1] == next_transaction()):
            return build(*arguments, **named)
        key = (*_there[0][0], *key)
    known = _worlds.get(key)
    if known is None:
        if on is None:
            _forget_everything()
        value = build(*arguments, **named)
        known = _worlds[key] = _Baked(rows=remember_rows(), memories=_memories(), value=deepcopy(value))
    else:
        put_rows_back(known.rows)
    # After it was built as well, so that the first test finds what the others find.
    _forget_everything()
    _recall(known.memories)
    _there[:] = [(key, next_transaction())]
    return cast(World, deepcopy(known.value))


def _backends() -> tuple[tuple[str, str], ...]:
    """What makes the vectors, by profile: each request to one outside of this process is an event of the world."""
    return tuple(sorted((name, str(each["backend"])) for name, each in settings.GLASSBOX_EMBEDDING_PROFILES.items()))


def _memories() -> _Memories:
    keys = {name: key for name, (_, key) in data_keys.cache._entries.items()}
    return _Memories(keys=keys, policies=dict(selectors._snapshots), examples=dict(golden._matrices))


def _recall(memories: _Memories) -> None:
    for (tenant_id, name), key in memories.keys.items():
        data_keys.cache.put(tenant_id, (name,), key)
    selectors._snapshots.update(memories.policies)
    golden._matrices.update(memories.examples)


def _forget_everything() -> None:
    """What is remembered of tenants by their ids, outside the database."""
    cache.clear()
    data_keys.cache.clear()
    selectors._snapshots.clear()
    golden._matrices.clear()
    attesting._waited.clear()
    chain._known.clear()
    for place in (settings.GLASSBOX_CHECKPOINT_URL, settings.GLASSBOX_TOMBSTONES_URL):
        # The suite's own. One that a test made for itself, or that is no folder, is new.
        if Path(place).is_relative_to(settings.GLASSBOX_HOME):
            shutil.rmtree(place, ignore_errors=True)
