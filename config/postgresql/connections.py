"""A connection that a pool lends: its cursors are known, and what it waits for comes to an end."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

import psycopg

from config.reach import Reach

# After so long without a word in the middle of a statement, the server is asked whether it is there. A statement may
# take its time; a server that is there for others is left to it.
_DOUBT_S: Final = 1.0
# What a connection is asked before it is lent, and a server that is in doubt, takes no time to answer.
CHECK_S: Final = 0.6
_RESET_S: Final = 5.0


class DatabaseAwayError(psycopg.OperationalError):
    """The server does not answer."""


class LentConnection(psycopg.Connection[Any]):
    """Remembers the cursors that it hands out: one that is kept would read as the connection's next borrower.

    reach: of its server; None where nobody watches it, and statements then wait as long as the server lets them.
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
            # How a pool checks what it is about to lend. One that says nothing is replaced.
            with self.limited(CHECK_S):
                return super().execute(query, *args, **kwargs)
        return super().execute(query, *args, **kwargs)

    @contextmanager
    def limited(self, seconds: float) -> Iterator[None]:
        """What is asked inside is answered within so long, or the connection is closed. By our clock: a server that
        hangs keeps no limit of its own.

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
        """psycopg's own generator. It is woken ten times a second while nothing comes."""
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
        # Half an answer may come yet: nobody may use it for anything else.
        self.close()
        raise DatabaseAwayError("the database does not answer")


class WatchedConnection(LentConnection):
    """As lent to whoever would rather fail than wait (config/postgresql/away.py watches its server)."""


def reset_connection(connection: psycopg.Connection[Any]) -> None:
    """Wash a pooled connection: a session-level SET would otherwise reach the next borrower, and a cursor its rows.

    DISCARD ALL refuses to run inside a transaction, so it runs in autocommit. It forgets what is listened to, but not
    what was heard: psycopg keeps that until it is asked.
    """
    if not isinstance(connection, LentConnection):
        raise TypeError("a pool of ours lends connections of ours")
    with connection.limited(_RESET_S):
        connection.close_cursors()
        connection.autocommit = True
        connection.execute("DISCARD ALL")
    for _ in connection.notifies(timeout=0):
        pass
