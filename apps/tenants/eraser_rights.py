"""Give the eraser, after every migration, what the models' declarations say, and nothing besides.

A migration would give what was declared when it was written; a change of a declaration needs none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import psycopg

from apps.tenants.personal_data.eraser import TableRights, declared_rights, tables_of_tenant

_TENANT = "tenant_id = (SELECT authz.tenant())"
_BOTH = f"USING ({_TENANT}) WITH CHECK ({_TENANT})"
# The policies that bind the eraser to targets, and those that let it through where a table has none for a command.
_BINDING = {"delete": "removal_of_targets", "update": "emptying_of_targets"}
_OPENING = ("removal_delete", "removal_delete_floor", "removal_update", "removal_update_floor")
_BOUND_BEFORE = """
    SELECT DISTINCT tablename::text FROM pg_policies WHERE schemaname = 'public' AND policyname = ANY (%s) ORDER BY 1
"""
_MISSING = "SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass('public.' || name) IS NULL"
_IS_OPEN = """
    SELECT FROM pg_policies
     WHERE schemaname = 'public' AND tablename = %s AND permissive = 'PERMISSIVE' AND cmd IN (%s, 'ALL')
       AND 'glassbox_eraser' = ANY (roles)
"""
_GOES_WITH_TENANT = """
    SELECT FROM pg_policies WHERE schemaname = 'public' AND tablename = %s AND policyname = 'end_of_tenant'
"""
_HAS_FLOOR = """
    SELECT FROM pg_policies floor JOIN pg_policies gone USING (schemaname, tablename, qual)
     WHERE schemaname = 'public' AND tablename = %s AND gone.policyname = 'end_of_tenant'
       AND floor.permissive = 'RESTRICTIVE' AND floor.cmd = 'ALL' AND floor.roles = '{public}'
"""


def settle_eraser(*, admin_url: str, database: str) -> None:
    """Give the eraser its rights on the tables that the models' stores clear, and take back what was given before.

    Until all of these tables are there, as in the midst of migrations, it does nothing.
    """
    rights, of_tenant = declared_rights(), tables_of_tenant()
    with psycopg.connect(admin_url, dbname=database) as connection:
        if not _rows(connection, _MISSING, [*(each.table for each in rights), *of_tenant]):
            give_rights(connection, rights, of_tenant)


def give_rights(
    connection: psycopg.Connection[Any], rights: Sequence[TableRights], of_tenant: Sequence[str] = ()
) -> None:
    """Run in the open transaction, as a role that may alter the tables.

    Args: rights: what the eraser may do to tables whose rows a RowStore clears.
          of_tenant: the tables that a TenantStore clears.
    """
    before = {str(table) for (table,) in _rows(connection, _BOUND_BEFORE, list(_BINDING.values()))}
    for table in sorted(before | {each.table for each in rights}):
        _run(connection, f"REVOKE DELETE, UPDATE ON {table} FROM glassbox_eraser")
        for policy in (*_BINDING.values(), *_OPENING):
            _run(connection, f"DROP POLICY IF EXISTS {policy} ON {table}")
    for each in rights:
        for command, clause in _clauses(each):
            _bind(connection, each.table, command, clause)
        _run(connection, f"GRANT {', '.join(_granted(each))} ON {each.table} TO glassbox_eraser")
    for table in of_tenant:
        if not _rows(connection, _GOES_WITH_TENANT, table):
            _let_go_with_tenant(connection, table)


def _clauses(rights: TableRights) -> Iterator[tuple[str, str]]:
    if rights.deletes:
        yield "delete", f"USING ({rights.deletes})"
    if rights.empties:
        yield "update", f"USING ({rights.empties}) WITH CHECK ({rights.leaves})"


def _bind(connection: psycopg.Connection[Any], table: str, command: str, clause: str) -> None:
    """Let the eraser use a command on rows that a run covers, and on no others, whatever else the table's policies say.

    A row that no run covers is skipped; an update that leaves anything but an emptied row is an error.
    """
    names = f"FOR {command.upper()} TO"
    if not _rows(connection, _IS_OPEN, table, command.upper()):
        within = f"USING ({_TENANT})" if command == "delete" else _BOTH
        _run(connection, f"CREATE POLICY removal_{command} ON {table} AS PERMISSIVE {names} glassbox_eraser {within}")
        _run(connection, f"CREATE POLICY removal_{command}_floor ON {table} AS RESTRICTIVE {names} PUBLIC {within}")
    bound = f"CREATE POLICY {_BINDING[command]} ON {table} AS RESTRICTIVE {names} glassbox_eraser {clause}"
    _run(connection, bound)


def _granted(rights: TableRights) -> Iterator[str]:
    yield f"SELECT ({', '.join(rights.reads)})"
    if rights.deletes:
        yield "DELETE"
    if rights.updates:
        yield f"UPDATE ({', '.join(rights.updates)})"


def _let_go_with_tenant(connection: psycopg.Connection[Any], table: str) -> None:
    """Let the rows of an erased tenant be removed from a table whose rows are otherwise never deleted.

    audit_remove_of_tenant (apps/audit/sql/end_of_tenant.sql) removes them, as glassbox_remover, for an executing run
    that names the tenant. It refuses a table without the policy `end_of_tenant`; a trigger that keeps such rows makes
    an exception for that role. A table that has the policy from its migration keeps it.
    """
    _run(connection, f"CREATE POLICY end_of_tenant ON {table} AS PERMISSIVE FOR ALL TO glassbox_remover {_BOTH}")
    if not _rows(connection, _HAS_FLOOR, table):
        _run(connection, f"CREATE POLICY end_of_tenant_floor ON {table} AS RESTRICTIVE FOR ALL TO PUBLIC {_BOTH}")
    _run(connection, f"GRANT SELECT (tenant_id, id), DELETE ON {table} TO glassbox_remover")
    _run(connection, f"GRANT SELECT (tenant_id, id) ON {table} TO glassbox_eraser")


def _rows(connection: psycopg.Connection[Any], query: str, *parameters: object) -> list[tuple[Any, ...]]:
    return connection.execute(query, parameters).fetchall()


def _run(connection: psycopg.Connection[Any], statement: str) -> None:
    connection.execute(statement)  # without parameters: a clause may hold a percent sign
