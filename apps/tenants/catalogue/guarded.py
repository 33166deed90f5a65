"""The tables that must be isolated. All checks, and the planner's settings, are about these."""

from __future__ import annotations

from typing import Any

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor

_SQL = read_statements(__file__)

# Tables without a tenant_id that must be isolated all the same.
PLATFORM_TABLES = (
    "tenants_tenant",
    "tenants_user",
    "tenants_session",
    "tenants_accountorigin",
    "tenants_accountlink",
    "tenants_secondfactor",
    "tenants_recoverycode",
)

GUARDED = _SQL["guarded"]


def rows(cursor: Cursor, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    cursor.execute(statement, {"platform": list(PLATFORM_TABLES), **parameters})
    return cursor.fetchall()


def guarded_tables(cursor: Cursor) -> list[str]:
    """Return the tables, partitions included, that must be isolated, by name."""
    return [table for (table,) in rows(cursor, GUARDED + _SQL["names"])]
