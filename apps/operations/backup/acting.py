"""Act as one of the database's roles after another, on a database that nothing serves.

A restore needs the rights of several roles. The worker seals the log. The eraser removes only what is named by a run
that two people approved, and the backup contains no such run for later erasures, so the owner of the tables names what
the tombstones list (repeating.py). The operator who runs the command holds all of their passwords anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from config.secrets import role_password

WORKER = "glassbox_worker"
ERASER = "glassbox_eraser"
OWNER = "glassbox_owner"


@contextmanager
def acting_as(role: str, *, database: str = "") -> Iterator[None]:
    """Make this thread's connection that of a role, to the configured database or to another one on the same server."""
    ordinary = connections["default"]
    configured = ordinary.settings_dict
    options = {key: value for key, value in configured["OPTIONS"].items() if key != "pool"}
    changes = {
        "USER": role,
        "PASSWORD": role_password(settings.GLASSBOX_DB_PASSWORDS, role),
        "OPTIONS": options,
        "CONN_HEALTH_CHECKS": False,
        "NAME": database or configured["NAME"],
    }
    acting = DatabaseWrapper({**configured, **changes}, alias="default")
    connections["default"] = acting
    try:
        yield
    finally:
        connections["default"] = ordinary
        acting.close()
