"""A pooled connection that knows its cursors and limits how long it waits."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

import psycopg

from config.reach import Reach

# After this time without an answer in the middle of a statement, check whether the server is up. A statement may take
# long, as long as the server answers others.
_DOUBT_S: Final = 1.0
# The limit for the check of a connection before it is lent, and of a server in doubt. Both are answered almost at once.
CHECK_S: Final = 0.6
_RESET_S: Final = 5.0


class DatabaseAwayError(psycopg.OperationalError):
    """The server does not answer."""


class LentConnection(psycopg.Connection[Any]):
    """A connection that remembers its cursors: a cursor that is kept could read as the connection's next borrower.

    reach: the watch over its server; None if it is not watched, and statements then wait as long as the server allows.
    """

    reach: Reach | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lent: WeakSet[psycopg.Cursor[Any] | psycopg.ServerCursor[Any]] = WeakSet()
        self._ends_at: float | None = None

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        cursor = super().cursor(*args, **kwargs)
        self._lent.add(cursor)
        return cursor

    def close_cursors(self) -> None:
        for cursor in list(self._lent):
            cursor.close()

    def execute(self, query: Any, *args: Any, **kwargs: Any) -> Any:
        if query == "":
            # The pool runs an empty query to check a connection before it lends it. A connection that does not answer
            # is replaced.
            with self.limited(CHECK_S):
                return super().execute(query, *args, **kwargs)
        return super().execute(query, *args, **kwargs)

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """Close the connection unless every statement in the block is answered within this time.

        The time is measured by our clock, because a server that hangs enforces no limit.

        Raises: DatabaseAwayError.
        """
        before, self._ends_at = self._ends_at, monotonic() + seconds
        try:
            yield
        finally:
            self._ends_at = before

    def wait(self, gen: Any, *args: Any, **kwargs: Any) -> Any:
        return super().wait(self._ending(gen), *args, **kwargs)

    def _ending(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        """Wrap psycopg's generator, which is woken ten times a second while no answer comes."""
        began = monotonic()
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready:
                    self._look(began)
                wanted = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _look(self, began: float) -> None:
        now = monotonic()
        if self._ends_at is not None and now > self._ends_at:
            self._give_up()
        if self.reach is None or now - began < _DOUBT_S:
            return
        if self.reach.is_lost:
            self._give_up()
        self.reach.doubt()

    def _give_up(self) -> None:
        # Half an answer may still arrive, so the connection must not be used for anything else.
        self.close()
        raise DatabaseAwayError("the database does not answer")


class WatchedConnection(LentConnection):
    """A connection for processes that would rather fail than wait (config/postgresql/away.py watches its server)."""


def reset_connection(connection: psycopg.Connection[Any]) -> None:
    """Reset a pooled connection, so that no session-level SET reaches the next borrower, and no cursor its rows.

    DISCARD ALL refuses to run inside a transaction, so it runs in autocommit. It removes the channels that the session
    listens to, but not the notifications that already arrived: psycopg keeps those until they are read.
    """
    if not isinstance(connection, LentConnection):
        raise TypeError("a pool of ours lends connections of ours")
    with connection.limited(_RESET_S):
        connection.close_cursors()
        connection.autocommit = True
        connection.execute("DISCARD ALL")
    for _ in connection.notifies(timeout=0):
        pass
