"""How Django reaches PostgreSQL: as a runtime role by default, as the owner for migrations alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit
from weakref import WeakSet

import psycopg

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker", "glassbox_eraser", "glassbox_auditor")


# Startup options win over what a role may have set as its own defaults (ALTER ROLE ... SET), and survive DISCARD ALL;
# what Django sets after connecting does not.
_STARTUP_OPTIONS = " ".join(
    f"-c {option}"
    for option in (
        "TimeZone=UTC",
        "idle_in_transaction_session_timeout=300s",
        "search_path=public",
        "row_security=on",
        "statement_timeout=0",
        "default_transaction_read_only=off",
    )
)


class LentConnection(psycopg.Connection[Any]):
    """Remembers the cursors that it hands out: one that is kept would read as the connection's next borrower."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lent: WeakSet[psycopg.Cursor[Any] | psycopg.ServerCursor[Any]] = WeakSet()

    def cursor(self, *args: Any, **kwargs: Any) -> Any:
        cursor = super().cursor(*args, **kwargs)
        self._lent.add(cursor)
        return cursor

    def close_cursors(self) -> None:
        for cursor in list(self._lent):
            cursor.close()


def reset_connection(connection: psycopg.Connection[Any]) -> None:
    """Wash a pooled connection: a session-level SET would otherwise reach the next borrower, and a cursor its rows.

    DISCARD ALL refuses to run inside a transaction, so it runs in autocommit. It forgets what is listened to, but not
    what was heard: psycopg keeps that until it is asked.
    """
    if isinstance(connection, LentConnection):
        connection.close_cursors()
    connection.autocommit = True
    connection.execute("DISCARD ALL")
    for _ in connection.notifies(timeout=0):
        pass


def database_settings(
    *, url: str, role: str, password: str, application_name: str, pool_size: int = 8, name: str = ""
) -> dict[str, Any]:
    """Django's settings for one role.

    Args: url: postgresql://[host[:port]]/database[?host=socket directory&sslmode=...]; user and password in it are
              replaced by the role's.
          pool_size: connections at most in this process; 0 for no pool.
          name: another database on the same server.
    """
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    options: dict[str, Any] = {
        "application_name": application_name,
        "server_side_binding": True,
        "options": _STARTUP_OPTIONS,
    }
    host = query.pop("host", "") or unquote(parts.hostname or "")
    port = query.pop("port", "") or str(parts.port or "")
    options.update(query)
    if pool_size:
        options["pool"] = {
            "min_size": 1,
            "max_size": pool_size,
            "timeout": 30,
            "reset": reset_connection,
            "connection_class": LentConnection,
        }
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name or parts.path.lstrip("/"),
        "USER": role,
        "PASSWORD": password,
        "HOST": host,
        "PORT": port,
        # A request that opened a transaction on every connection would act as the owner too, and hold a second one.
        "ATOMIC_REQUESTS": role in RUNTIME_ROLES,
        "CONN_HEALTH_CHECKS": bool(pool_size),
        "OPTIONS": options,
    }
