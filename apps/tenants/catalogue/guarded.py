"""The tables that must be isolated. All checks, and the planner's settings, are about these."""

from __future__ import annotations

from typing import Any

from apps.tenants.catalogue.contracts import Cursor

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

# The tables, partitions included, that hold rows of tenants or of the platform's people, and whether row-level security
# is enabled and forced on each.
GUARDED = """
    WITH guarded AS (
        SELECT c.oid, c.relname, c.relispartition, c.relrowsecurity, c.relforcerowsecurity
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')
           AND (c.relname = ANY (%(platform)s::text[]) OR EXISTS (
                SELECT FROM pg_attribute a
                 WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped))
    )
"""


def rows(cursor: Cursor, statement: str, **parameters: Any) -> list[tuple[Any, ...]]:
    cursor.execute(statement, {"platform": list(PLATFORM_TABLES), **parameters})
    return cursor.fetchall()


def guarded_tables(cursor: Cursor) -> list[str]:
    """Return the tables, partitions included, that must be isolated, by name."""
    return [table for (table,) in rows(cursor, GUARDED + "SELECT relname FROM guarded ORDER BY relname")]
