"""How Django reaches PostgreSQL: as a runtime role by default, as the owner for migrations alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from config.needs import Process
from config.postgresql.connections import LentConnection, WatchedConnection, reset_connection

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker", "glassbox_eraser", "glassbox_auditor")

# How long a role's statements may take, and how much of the disk. Defaults of the role's sessions, which migrate sets,
# and startup options of ours. A role may lift the times for itself: the watchdog (apps/tenants/watchdog.py) ends what
# takes longer all the same. Not so temp_file_limit, which the server's administrator alone changes.
ROLE_LIMITS: Mapping[str, Mapping[str, str]] = {
    "glassbox_api": {
        "statement_timeout": "300s",
        "idle_in_transaction_session_timeout": "300s",
        "transaction_timeout": "3600s",
        "temp_file_limit": "8GB",
    },
    # Chunks, vectors and proofs of large tenants: a statement may take long, and a transaction longer.
    "glassbox_worker": {
        "statement_timeout": "1800s",
        "idle_in_transaction_session_timeout": "300s",
        "temp_file_limit": "32GB",
    },
    "glassbox_eraser": {
        "statement_timeout": "1800s",
        "idle_in_transaction_session_timeout": "300s",
        "temp_file_limit": "32GB",
    },
    "glassbox_auditor": {
        "statement_timeout": "300s",
        "idle_in_transaction_session_timeout": "300s",
        "temp_file_limit": "8GB",
    },
}
SERVER_LIMITS = frozenset({"temp_file_limit"})
"""Those that no role can lift, and that only a superuser may set."""

TIME_LIMITS = ("statement_timeout", "transaction_timeout", "idle_in_transaction_session_timeout")
LIMIT_GRACE = "20s"
"""How much longer than its limit something takes before the watchdog ends it: PostgreSQL itself has been first."""

# Startup options win over what a role may have set as its own defaults (ALTER ROLE ... SET), and survive DISCARD ALL;
# what Django sets after connecting does not.
_STARTUP_OPTIONS = " ".join(
    f"-c {option}"
    for option in (
        "TimeZone=UTC",
        "search_path=public",
        "row_security=on",
        "default_transaction_read_only=off",
        # What the wall demands (apps/tenants/sql/authz.sql), whatever a role has made its own default.
        "cpu_operator_cost=0",
    )
)


# How long a request waits for a connection; with the check of one that was lent before, two seconds are not exceeded.
FAST_S = 1.2
# psycopg takes no less than two seconds.
CONNECT_TIMEOUT_S = 2


def startup_options(role: str) -> str:
    limits = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "300s", **ROLE_LIMITS.get(role, {})}
    return " ".join([_STARTUP_OPTIONS, *(f"-c {k}={v}" for k, v in limits.items() if k not in SERVER_LIMITS)])


def database_settings(
    *,
    url: str,
    role: str,
    password: str,
    application_name: str,
    pool_size: int = 8,
    name: str = "",
    process: Process | None = None,
) -> dict[str, Any]:
    """Django's settings for one role.

    Args: url: postgresql://[host[:port]]/database[?host=socket directory&sslmode=...]; user and password in it are
              replaced by the role's.
          pool_size: connections at most in this process; 0 for no pool.
          name: another database on the same server.
          process: one that serves requests fails within two seconds where the server is away; any other waits for it.
    """
    fails_fast = process is Process.WEB
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    options: dict[str, Any] = {
        "application_name": application_name,
        "server_side_binding": True,
        "options": startup_options(role),
    }
    host = query.pop("host", "") or unquote(parts.hostname or "")
    port = query.pop("port", "") or str(parts.port or "")
    options.update(query)
    if pool_size:
        options["pool"] = {
            "min_size": 1,
            "max_size": pool_size,
            "timeout": FAST_S if fails_fast else 30,
            "reset": reset_connection,
            "connection_class": WatchedConnection if fails_fast else LentConnection,
        }
        options.setdefault("connect_timeout", CONNECT_TIMEOUT_S if fails_fast else 10)
        if fails_fast:
            # What can't connect is forgotten, and tried anew with the next request: the pool's own patience grows to
            # minutes, for which nobody would be served though the server was back.
            options["pool"]["reconnect_timeout"] = 0.0
    return {
        "ENGINE": "config.postgresql",
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
