"""Checks of tables: their policies, the views of them, and what the planner knows about them."""

from __future__ import annotations

from collections.abc import Iterator

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.rights import DATABASE_DEFAULTS, LEAKPROOF_FUNCTIONS, ORDINARY_ROLES

_SQL = read_statements(__file__)


def unguarded_tables(cursor: Cursor) -> Iterator[Finding]:
    for table, is_partition, enabled, forced, permissive, unmatched, open_to_all in rows(
        cursor, GUARDED + _SQL["unguarded_tables"]
    ):
        missing = [
            name
            for name, absent in (
                ("row-level security is not enabled", not enabled),
                ("it is not forced upon the owner", not forced),
                ("it has no policy", not permissive),
                ("a policy lacks its restrictive twin", unmatched),
                ("a policy asks nothing of the scope token", open_to_all),
            )
            if absent
        ]
        if missing:
            yield Finding(
                subject=f"{'Partition' if is_partition else 'Table'} {table}",
                problem=f"holds rows of tenants and is not isolated: {', '.join(missing)}.",
                remedy=(
                    "Add EnableIsolation(<model>) from apps.tenants.operations to the migration that "
                    f"creates {table}, after CreateModel; a platform's table takes PoliciesByCommand."
                ),
            )


def unguarded_relations(cursor: Cursor) -> Iterator[Finding]:
    """Find relations to which row-level security does not apply by itself, and that a runtime role may read."""
    for relation, kind in rows(
        cursor,
        _SQL["unguarded_relations"],
        roles=list(ORDINARY_ROLES),
    ):
        yield Finding(
            subject=f"{kind} {relation}",
            problem="is read with its owner's rights: the policies of the tables below it do not hold.",
            remedy=(
                "Make it WITH (security_invoker = true)." if kind == "View" else "Make it a table with EnableIsolation."
            ),
        )


def telling_planner(cursor: Cursor) -> Iterator[Finding]:
    for table, columns in rows(cursor, GUARDED + _SQL["tables_with_statistics"]):
        yield Finding(
            subject=f"Table {table}",
            problem=f"has planner statistics of {columns}: EXPLAIN would tell of hidden values.",
            remedy="Run manage.py migrate: it settles what the planner may know of every such table.",
        )

    for functions, example in rows(
        cursor,
        "SELECT count(*), min(oid::regprocedure::text) FROM pg_proc WHERE proleakproof AND proname !~ %(leakproof)s "
        "HAVING count(*) > 0",
        leakproof=LEAKPROOF_FUNCTIONS,
    ):
        yield Finding(
            subject="PostgreSQL",
            problem=(
                f"lets indexes be searched by {functions} functions that ours need not, such as {example}: what "
                "EXPLAIN ANALYZE counts would tell of hidden values."
            ),
            remedy="Run manage.py migrate with an ADMIN_DATABASE_URL that may alter pg_catalog's functions.",
            is_warning=True,
        )


def unordered_conditions(cursor: Cursor) -> Iterator[Finding]:
    """Find what lets a condition of a query run before a policy's (authz.conditions_in_order in sql/authz.sql)."""
    remedy = "Run manage.py migrate with ADMIN_DATABASE_URL."
    for (table,) in rows(cursor, GUARDED + _SQL["tables_out_of_order"]):
        yield Finding(
            subject=f"Table {table}",
            problem="does not ask that conditions run in order: one that costs nothing would run before its policies.",
            remedy=remedy,
        )
    for (volatility,) in rows(
        cursor,
        "SELECT provolatile FROM pg_proc WHERE oid = to_regprocedure('authz.conditions_in_order()') "
        "AND provolatile <> 'i'",
    ):
        yield Finding(
            subject="Function authz.conditions_in_order",
            problem=f"is not IMMUTABLE ({volatility}): it would be asked when a plan runs, not when it is made.",
            remedy=remedy,
        )
    for (default,) in rows(
        cursor,
        """
        SELECT d.value FROM unnest(%(defaults)s::text[]) AS d (value)
         WHERE NOT EXISTS (
               SELECT FROM pg_db_role_setting s JOIN pg_database b ON b.oid = s.setdatabase
                WHERE b.datname = current_database() AND s.setrole = 0 AND d.value = ANY (s.setconfig))
        """,
        defaults=[f"{setting}={value}" for setting, value in DATABASE_DEFAULTS.items()],
    ):
        yield Finding(
            subject="The database",
            problem=f"does not begin its sessions with {default}: without it no walled table can be read.",
            remedy=remedy,
        )
    for table, policy in rows(cursor, GUARDED + _SQL["policies_out_of_order"]):
        yield Finding(
            subject=f"Policy {policy} of {table}",
            problem=(
                "is asked after the one of isolation: a condition on tenant_id, which the planner joins to that one, "
                "would run between the two."
            ),
            remedy="Give it a name that sorts before isolation's: restrictive policies are asked in order of names.",
        )
