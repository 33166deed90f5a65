"""Decisions that take a second person: every table that records one checks that two different people took part."""

from __future__ import annotations

from collections.abc import Iterator

from apps.sql_files import read_statements
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import GUARDED, rows
from apps.tenants.roles import Role, approvals

_SQL = read_statements(__file__)

# The names of columns that say who decided.
DECIDED_BY = r"^(approver_id|(.*_)?(approved|agreed|confirmed|released)_by(_id)?)$"


def unguarded_decisions(cursor: Cursor) -> Iterator[Finding]:
    for table, column in rows(
        cursor,
        GUARDED + _SQL["unguarded_decisions"],
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
