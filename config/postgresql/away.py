"""Check whether the server of a pool answers, on a connection outside the pool."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import psycopg
from psycopg_pool import ConnectionPool

from config.postgresql.connections import CHECK_S, LentConnection
from config.reach import Reach

CONNECT_TIMEOUT_S: Final = 2
# The server has no free connection, so it is up. psycopg reports that only in the text of the error.
_FULL: Final = ("too many clients", "remaining connection slots", "too many connections")


def reach_of(parameters: Mapping[str, Any], pool: Callable[[], ConnectionPool[Any] | None]) -> Reach:
    """Return the watch over a server.

    Args: parameters: of a connection. pool: its idle connections are dropped when the server is lost.
    """

    def lost() -> None:
        found = pool()
        if found is not None:
            found.drain()

    return Reach("the database", answers=lambda: answers(parameters), lost=lost)


def answers(parameters: Mapping[str, Any]) -> bool:
    """Return whether a new connection can be opened and answers, within about two seconds."""
    try:
        own = {**parameters, "connect_timeout": CONNECT_TIMEOUT_S, "autocommit": True}
        with LentConnection.connect(**own) as connection:
            with connection.limited(CHECK_S):
                connection.execute("SELECT 1")
            return True
    except psycopg.Error as error:
        return any(words in str(error) for words in _FULL)
