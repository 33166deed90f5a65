"""The registered classes of events as the database knows them: authz.event_class, which audit_record consults.

Every migration writes the table, as the server's administrator. Every start compares it with the registry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import psycopg
from django.core import checks
from django.db import connections
from django.db.utils import OperationalError

from apps.audit.registry import event_classes

Row = tuple[str, list[str], list[str], list[str], list[str]]
_READ: Final = "SELECT action, groups, required, permissions, binding FROM authz.event_class ORDER BY action"


def class_rows() -> list[Row]:
    """Return (action, groups, required, permissions, binding) of each class, ordered by action; the sets are sorted."""
    return [
        (
            each.action,
            sorted(each.groups),
            sorted(map(str, each.required)),
            sorted(map(str, each.permissions)),
            list(each.binding),
        )
        for each in event_classes()
    ]


def write_event_classes(admin_url: str, database: str) -> None:
    """Write the classes to the database. See apps.tenants.registry.register_on_migrated."""
    with psycopg.connect(admin_url, dbname=database) as connection:
        connection.execute("DELETE FROM authz.event_class")
        connection.cursor().executemany(
            "INSERT INTO authz.event_class (action, groups, required, permissions, binding) "
            "VALUES (%s, %s, %s, %s, %s)",
            class_rows(),
        )


def event_classes_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Check that the database knows the classes that the code registers.

    The check runs with `manage.py check --database default` and when any process starts.
    """
    if not databases or "default" not in databases:
        return []
    try:
        with connections["default"].cursor() as cursor:
            cursor.execute(_READ)
            known = {row[0]: row for row in cursor.fetchall()}
    except OperationalError:
        # The check tenants.E003 reports this failure.
        return []
    registered = {row[0]: row for row in class_rows()}
    differing = sorted(
        action for action in known.keys() | registered.keys() if known.get(action) != registered.get(action)
    )
    if not differing:
        return []
    return [
        checks.Error(
            f"The database knows other classes of events than this release: {differing[0]}"
            + (f" and {len(differing) - 1} more." if len(differing) > 1 else "."),
            hint="Run manage.py migrate with ADMIN_DATABASE_URL: it writes what events of each class must be.",
            id="audit.E003",
        )
    ]
