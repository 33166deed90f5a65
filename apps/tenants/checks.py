"""Checks that keep a server from starting if tenants are not isolated: `manage.py check --database default`.

Every server runs them at its start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.core import checks
from django.db import connections
from django.db.utils import OperationalError

from apps.tenants.catalogue import findings

ROLE_SQL = """
    SELECT r.rolsuper, r.rolbypassrls,
           EXISTS (SELECT 1 FROM pg_class c WHERE c.relowner = r.oid AND c.relkind IN ('r', 'p')),
           EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid)
    FROM pg_roles r WHERE r.rolname = current_user
"""


def register() -> None:
    checks.register(runtime_role_check, checks.Tags.database)
    checks.register(isolation_check, checks.Tags.database)
    checks.register(operators_check, deploy=True)


def runtime_role_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Require that the runtime role is an ordinary one: a stronger role would bypass row-level security."""
    if not databases or "default" not in databases:
        return []
    rows = _rows(ROLE_SQL)
    if rows is None:
        return [_unreachable()]
    return [
        checks.Error(
            f"The runtime database role is {problem}: row-level security would not hold.",
            hint="Run as glassbox_api or glassbox_worker (GLASSBOX_DB_ROLE), as made by manage.py migrate.",
            id="tenants.E001",
        )
        for problem in role_problems(rows[0])
    ]


def role_problems(attributes: Sequence[bool]) -> list[str]:
    """Return the attributes in a row of ROLE_SQL that would let the role bypass row-level security."""
    names = ("a superuser", "BYPASSRLS", "the owner of tables", "a member of another role")
    return [name for name, found in zip(names, attributes, strict=True) if found]


def isolation_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Report what the database's own catalogue says about the isolation of tenants (catalogue/)."""
    if not databases or "default" not in databases:
        return []
    try:
        with connections["default"].cursor() as cursor:
            found = findings(cursor)
    except OperationalError:
        return []
    return [
        checks.Warning(str(each), hint=each.remedy, id="tenants.W004")
        if each.is_warning
        else checks.Error(str(each), hint=each.remedy, id="tenants.E002")
        for each in found
    ]


def operators_check(**kwargs: Any) -> list[checks.CheckMessage]:
    if settings.GLASSBOX_OPERATORS:
        return []
    return [
        checks.Info(
            "Nobody receives alarms by e-mail.",
            hint="Set GLASSBOX_OPERATORS to the operators' addresses.",
            id="tenants.I001",
        )
    ]


def _rows(sql: str) -> list[tuple[Any, ...]] | None:
    try:
        with connections["default"].cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())
    except OperationalError:
        return None


def _unreachable() -> checks.CheckMessage:
    return checks.Error(
        "The database can't be reached.", hint="Check DATABASE_URL, and that the server is running.", id="tenants.E003"
    )
