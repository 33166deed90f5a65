"""A second database connection, for small writes during a long transaction of the same thread."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections


@contextmanager
def beside() -> Iterator[None]:
    """Use another connection in this thread within the block, as the same role. The caller opens a scope in it.

    The writes are committed whatever happens to the outer transaction, whose snapshot does not see them.
    Costs: a connection from the pool, or a new one.
    """
    ordinary = connections[DEFAULT_DB_ALIAS]
    other = ordinary.copy()
    connections[DEFAULT_DB_ALIAS] = other
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = ordinary
        other.close()
