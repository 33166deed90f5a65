"""Decisions that take a second person: every table that records one checks that two different people took part."""

from __future__ import annotations

from collections.abc import Iterator

from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.roles import Role, approvals

# The names of columns that say who decided.
DECIDED_BY = r"^(approver_id|(.*_)?(approved|agreed|confirmed|released)_by(_id)?)$"


def unguarded_decisions(cursor: Cursor) -> Iterator[Finding]:
    for table, column in rows(
        cursor,
        GUARDED
        + """
        SELECT g.relname, a.attname
          FROM guarded g JOIN pg_attribute a ON a.attrelid = g.oid
         WHERE a.attnum > 0 AND NOT a.attisdropped AND a.atttypid = 'uuid'::regtype AND a.attname ~ %(pattern)s
           AND NOT EXISTS (
                SELECT FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
                 WHERE t.tgrelid = g.oid AND t.tgenabled IN ('O', 'A') AND p.proname = 'tenants_second_person'
                   -- Arguments end with a zero byte each; the second is the column.
                   AND position('\\000' || a.attname || '\\000' IN encode(t.tgargs, 'escape')) > 0)
         ORDER BY 1, 2
        """,
        pattern=DECIDED_BY,
    ):
        yield Finding(
            subject=f"Column {column} of {table}",
            problem="names who decided, and nothing asks whether that account is in the hands of who asked.",
            remedy="Make a trigger of tenants_second_person(<who asked>, <who decides>) in the table's migration.",
        )


def roles_that_approve(cursor: Cursor) -> Iterator[Finding]:
    """Compare what each role approves according to the database with apps/tenants/roles.py."""
    for role in Role:
        ((held,),) = rows(cursor, "SELECT tenants_role_approves(%(role)s)", role=role.value)
        if held is None or set(held) != {each.value for each in approvals(role)}:
            yield Finding(
                subject=f"Role {role.value}",
                problem=f"approves {held} to the database, and {sorted(approvals(role))} to the application.",
                remedy="Replace tenants_role_approves in a migration: it decides who is confirmed by a second person.",
            )
