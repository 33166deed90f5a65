"""Django's backend for PostgreSQL. In a process that fails fast, the whole pool fails at once (see away.py)."""

from __future__ import annotations

from threading import Lock
from typing import Any

import psycopg
from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool

from config.postgresql.away import reach_of
from config.postgresql.connections import DatabaseAwayError, WatchedConnection
from config.reach import Reach

# By alias, as Django keeps its pools.
_reaches: dict[str, Reach] = {}
_lock = Lock()


class DatabaseWrapper(base.DatabaseWrapper):
    """A database whose watched pool does not let anybody wait for a server that this process knows to be down."""

    @property
    def reach(self) -> Reach | None:
        """Return the watch over the server, or None if it is not watched."""
        pool = self.settings_dict["OPTIONS"].get("pool") or {}
        if pool.get("connection_class") is not WatchedConnection:
            return None
        with _lock:
            if self.alias not in _reaches:
                pools: dict[str, ConnectionPool[Any]] = self._connection_pools  # type: ignore[attr-defined]
                alias = self.alias
                _reaches[alias] = reach_of(self.get_connection_params(), lambda: pools.get(alias))
                WatchedConnection.reach = _reaches[alias]
            return _reaches[self.alias]

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        reach = self.reach
        if reach is None:
            return super().get_new_connection(conn_params)
        if reach.is_away:
            raise DatabaseAwayError("the database does not answer")
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            reach.waited_in_vain()
            raise
