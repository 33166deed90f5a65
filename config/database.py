"""How Django reaches PostgreSQL: as a runtime role by default, as the owner for migrations alone."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

import psycopg

RUNTIME_ROLES = ("glassbox_api", "glassbox_worker", "glassbox_eraser", "glassbox_auditor")


def reset_connection(connection: psycopg.Connection[Any]) -> None:
    """Wash a pooled connection: a session-level SET would otherwise reach the next borrower.

    DISCARD ALL refuses to run inside a transaction, so it runs in autocommit.
    """
    connection.autocommit = True
    connection.execute("DISCARD ALL")


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
        # Startup options survive DISCARD ALL; what Django sets after connecting does not.
        "options": "-c TimeZone=UTC -c idle_in_transaction_session_timeout=300s",
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
