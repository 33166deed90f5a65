"""Whether the database may be served: it is no restored one, or what was erased since its backup is gone again.

Two things tell, and neither can come out of a backup:

- which database it is (the server's identifier, the oids of the database and of two of its tables: a dump that is put
  back gets others), held against the mark outside that this one may be served;
- how many tombstones it has, held against those that are confirmed outside. That finds what has the same identity: a
  snapshot of the server's disk, a base backup rolled forward to some moment.

A database without a tenant has nothing to serve, and is open.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any, Final
from weakref import WeakSet

from django.conf import settings
from django.db import ProgrammingError, connection

from apps.audit.log.tombstone_place import TombstonePlace, tombstone_place
from apps.errors import ApplicationError
from apps.tenants.context import open_identity
from apps.tenants.tokens import Identity

# How long an answer holds on a connection that was asked about: a dump that is put back in place, under a running
# process, shows by then. One that is put back into a new database shows at once, on the first connection to it.
REMEMBERED_S: Final = 2.0

RESTORED: Final = "the database was restored from a backup, and what was erased since has not been removed again yet"
BEHIND: Final = "the database is older than an erasure: it was restored to an earlier time"
LOST: Final = "the record of what was erased is missing, but the database knows that there was one"
UNREADABLE: Final = "the database is being restored, or its tables belong to another release"

_STATE: Final = """
    SELECT (SELECT system_identifier::text FROM pg_control_system()), d.oid::text,
           'public.audit_event'::regclass::oid::text, 'public.tenants_tenant'::regclass::oid::text,
           EXISTS (SELECT FROM tenants_tenant), (SELECT coalesce(max(number), 0) FROM audit_tombstonemark)
      FROM pg_database d WHERE d.datname = current_database()
"""


class NotServedError(ApplicationError):
    """The database was put back, and holds what was erased since. Nothing of it is shown or worked on."""

    code = "audit.not_served"
    status = 503
    message = "Nothing is served: {reason}. An administrator must run manage.py restore --replay."


@dataclass(frozen=True, slots=True, kw_only=True)
class DatabaseState:
    """identity: of this very database, in hex. number: of the newest tombstone that it has; 0 for none."""

    identity: str
    has_tenants: bool
    number: int


def database_state() -> DatabaseState:
    """Costs: one query, and opening an identity."""
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_STATE)
        *names, has_tenants, number = cursor.fetchone()
    return DatabaseState(identity=identity_of(names), has_tenants=has_tenants, number=number)


def identity_of(names: list[str]) -> str:
    return hashlib.sha256("\x1f".join(names).encode()).hexdigest()[:32]


def refuse_unless_served() -> None:
    """Raises: NotServedError; TombstonesUnavailableError, TombstonesDamagedError: nobody can say.

    Costs: nothing for two seconds on the same connection, then a query and one or two small reads.
    """
    if not settings.GLASSBOX_REQUIRE_REPLAY:
        return
    connection.ensure_connection()
    reason = _gate.reason(connection.connection)
    if reason:
        raise NotServedError(reason=reason)


def reason_not_to_serve() -> str:
    """Asked anew. Empty: it may be served. Raises: as refuse_unless_served, but for NotServedError."""
    try:
        state = database_state()
    except ProgrammingError:
        return UNREADABLE
    return judged(state, tombstone_place())


def judged(state: DatabaseState, place: TombstonePlace) -> str:
    if not state.has_tenants:
        return ""
    if not place.is_served(state.identity):
        return RESTORED
    if place.confirmed() > state.number:
        return BEHIND
    if state.number and place.tombstone(state.number) is None:
        return LOST
    return ""


class _Gate:
    """The last answer of this process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._asked_on: WeakSet[Any] = WeakSet()
        self._until = 0.0
        self._reason = ""

    def reason(self, asking: Any) -> str:
        with self._lock:
            if monotonic() < self._until and asking in self._asked_on:
                return self._reason
            if monotonic() >= self._until:
                self._asked_on.clear()
            try:
                self._reason = reason_not_to_serve()
            except ApplicationError:
                self._until = 0.0
                raise
            self._until = monotonic() + REMEMBERED_S
            self._asked_on.add(asking)
            return self._reason

    def forget(self) -> None:
        with self._lock:
            self._until = 0.0


_gate: Final = _Gate()
forget = _gate.forget
