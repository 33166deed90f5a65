"""A second connection, for the little that must be written while a long transaction of this thread goes on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DEFAULT_DB_ALIAS, connections


@contextmanager
def beside() -> Iterator[None]:
    """Within the block, this thread works on another connection, as the same role; a scope is to be opened in it.

    What is written is committed whatever becomes of the transaction outside, and is not seen by a snapshot of it.
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
