"""How Django connects to PostgreSQL: as a runtime role by default, and as the owner only for migrations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from config.needs import Process
from config.postgresql.connections import LentConnection, WatchedConnection, reset_connection

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker", "glassbox_eraser", "glassbox_auditor")

# Limits on the time of a role's statements and on its disk space. migrate sets them as defaults of the role's sessions,
# and we pass them as startup options. A role may lift the time limits for itself, but the watchdog
# (apps/tenants/watchdog.py) still ends what takes longer. Only the server's administrator can change temp_file_limit.
ROLE_LIMITS: Mapping[str, Mapping[str, str]] = {
    "glassbox_api": {
        "statement_timeout": "300s",
        "idle_in_transaction_session_timeout": "300s",
        "transaction_timeout": "3600s",
        "temp_file_limit": "8GB",
    },
    # Chunks, vectors and proofs of large tenants take long: a statement may, and a transaction even longer.
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

# Startup options take precedence over the defaults that a role may have set for itself (ALTER ROLE ... SET), and
# survive DISCARD ALL. Settings that Django makes after connecting do not.
_STARTUP_OPTIONS = " ".join(
    f"-c {option}"
    for option in (
        "TimeZone=UTC",
        "search_path=public",
        "row_security=on",
        "default_transaction_read_only=off",
        # Row-level security requires this (apps/tenants/sql/authz.sql), whatever a role has set as its own default.
        "cpu_operator_cost=0",
    )
)


# How long a request waits for a connection. Together with the check of a pooled one, this stays below two seconds.
FAST_S = 1.2
# psycopg allows no less than two seconds.
CONNECT_TIMEOUT_S = 2
# The most connections of a process.
POOL_SIZE = 8


def startup_options(role: str) -> str:
    limits = {"statement_timeout": "0", "idle_in_transaction_session_timeout": "300s", **ROLE_LIMITS.get(role, {})}
    return " ".join([_STARTUP_OPTIONS, *(f"-c {k}={v}" for k, v in limits.items() if k not in SERVER_LIMITS)])


def database_settings(
    *,
    url: str,
    role: str,
    password: str,
    application_name: str,
    pool_size: int = POOL_SIZE,
    name: str = "",
    process: Process | None = None,
) -> dict[str, Any]:
    """Return Django's settings for one role.

    Args: url: postgresql://[host[:port]]/database[?host=socket directory&sslmode=...]; user and password in it are
              replaced by the role's.
          pool_size: the most connections in this process; 0 for no pool.
          name: another database on the same server.
          process: a process that serves requests fails within two seconds if the server is down; any other waits for
          it.
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
            # A failed connection attempt is dropped and made again with the next request. The pool's own delay grows to
            # minutes, during which no request would be served although the server was back.
            options["pool"]["reconnect_timeout"] = 0.0
    return {
        "ENGINE": "config.postgresql",
        "NAME": name or parts.path.lstrip("/"),
        "USER": role,
        "PASSWORD": password,
        "HOST": host,
        "PORT": port,
        # Only runtime roles: a request that opened a transaction on every connection would also act as the owner, and
        # hold a second connection.
        "ATOMIC_REQUESTS": role in RUNTIME_ROLES,
        "CONN_HEALTH_CHECKS": bool(pool_size),
        "OPTIONS": options,
    }
