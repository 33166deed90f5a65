"""Refuse to start where the wall would not hold: `manage.py check --database default`, and every server's start."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core import checks
from django.db import connections
from django.db.utils import OperationalError

ROLE_SQL = """
    SELECT r.rolsuper, r.rolbypassrls,
           EXISTS (SELECT 1 FROM pg_class c WHERE c.relowner = r.oid AND c.relkind IN ('r', 'p')),
           EXISTS (SELECT 1 FROM pg_auth_members m WHERE m.member = r.oid)
    FROM pg_roles r WHERE r.rolname = current_user
"""
# Every table (or partition) with a tenant, and the tenants themselves.
_TABLE_SQL = """
    SELECT c.relname, c.relrowsecurity, c.relforcerowsecurity,
           (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive),
           (SELECT count(*) FROM pg_policy p WHERE p.polrelid = c.oid AND NOT p.polpermissive)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND (
        c.relname = 'tenants_tenant' OR EXISTS (
            SELECT 1 FROM pg_attribute a
            WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
    ORDER BY c.relname
"""


def register() -> None:
    checks.register(runtime_role_check, checks.Tags.database)
    checks.register(isolation_check, checks.Tags.database)


def runtime_role_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """The role that serves requests must be an ordinary one: anything more walks through the wall."""
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
    """What of a row of ROLE_SQL would let its role through the wall."""
    names = ("a superuser", "BYPASSRLS", "the owner of tables", "a member of another role")
    return [name for name, found in zip(names, attributes, strict=True) if found]


def isolation_check(*, databases: Sequence[str] | None = None, **kwargs: Any) -> list[checks.CheckMessage]:
    """Every tenant table has its policies, enabled and forced."""
    if not databases or "default" not in databases:
        return []
    rows = _rows(_TABLE_SQL)
    if rows is None:
        return []
    return [
        checks.Error(
            f"Table {table} is not isolated.",
            hint=f"Add EnableIsolation for it to the migration that creates {table}.",
            id="tenants.E002",
        )
        for table, enabled, forced, permissive, restrictive in rows
        if not (enabled and forced and permissive and restrictive)
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
        "The database can't be reached.", hint="Is DATABASE_URL right, and the server up?", id="tenants.E003"
    )
