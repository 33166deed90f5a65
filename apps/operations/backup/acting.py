"""Working as one of the database's roles after the other, on a database that nothing serves.

Putting a backup back takes what no single role may. The worker seals the log. The eraser removes what a run names that
two people are behind, and the backup knows of none: so the owner of the tables names what the tombstones tell of
(repeating.py). Whoever runs the command holds all of their passwords anyway.
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
    """This thread's connection is the role's, to the configured database or to another one on the same server."""
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
