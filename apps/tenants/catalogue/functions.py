"""Functions that run with the rights of the role that makes them run: whether that role may do what the body does.

A trigger runs as the role that writes to its table; a policy or a default runs as the role that uses the table. If the
body reads something that the role may not read, PostgreSQL reports it only when a plan that reads it runs. That may be
the sixth time in a session, or in a branch that has never run before.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.sql_files import read_statements
from apps.tenants.catalogue.bodies import Body, Use, read_body
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import rows
from apps.tenants.rights import BEYOND_SCOPES, HANDED_OVER, ORDINARY_ROLES

_SQL: Final = read_statements(__file__)

# The roles that write, and the roles that functions are handed over to, for which triggers fire as well.
RUNNERS: Final = tuple(sorted({*ORDINARY_ROLES, *HANDED_OVER.values()}))
# Those that policies bind.
_BOUND: Final = tuple(role for role in RUNNERS if role not in BEYOND_SCOPES)
# Functions that compose statements at run time. What they do can't be read from their text, so each is listed here with
# what limits it instead.
DYNAMIC: Final[Mapping[str, str]] = {
    "audit_remove_of_tenant": "the tables come from the policies `end_of_tenant`, made with their rights",
    "audit_made_now": "tables and columns come from authz.event_class; ToldOf gives the rights",
}
_EVENTS: Final = {4: "INSERT", 8: "DELETE", 16: "UPDATE", 32: "TRUNCATE"}
_NOT_FOR: Final = re.compile(r"WHEN \(\(CURRENT_USER <> '(\w+)'::name\)\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Function:
    oid: int
    name: str
    owner: str
    is_definer: bool
    body: Body


@dataclass(frozen=True, slots=True, order=True)
class _Run:
    """A function that runs with a role's rights, and what makes it run."""

    role: str
    oid: int
    because: str


def forbidden_bodies(cursor: Cursor) -> Iterator[Finding]:
    """Find functions and policies that run with a role's rights and do something that the role may not do."""
    columns = _columns(cursor)
    functions = _functions(cursor, columns)
    by_name: dict[str, list[_Function]] = defaultdict(list)
    for function in functions.values():
        by_name[function.name].append(function)
        if function.body.is_dynamic and function.name not in DYNAMIC:
            yield Finding(
                subject=f"Function {function.name}",
                problem="puts its statements together as it runs: what it may read or write can't be told.",
                remedy="Write the statements out, or list it in apps/tenants/catalogue/functions.py with the reason.",
            )
    wanted: dict[tuple[str, Use], set[str]] = defaultdict(set)
    calls: dict[tuple[str, int], set[str]] = defaultdict(set)
    begun = {_Run(each.owner, each.oid, f"function {each.name}") for each in functions.values() if each.is_definer}
    todo = [*_fired(cursor, functions), *_asked(cursor, functions), *begun]
    seen: set[_Run] = set()
    while todo:
        run = todo.pop()
        if run in seen:
            continue
        seen.add(run)
        function = functions[run.oid]
        if function.is_definer and run not in begun:
            continue
        for use in function.body.uses:
            wanted[run.role, use].add(run.because)
        for called in (each for name in sorted(function.body.calls) for each in by_name.get(name, ())):
            calls[run.role, called.oid].add(run.because)
            todo.append(_Run(run.role, called.oid, f"{run.because} (by {called.name})"))
    for role, table, used, by in _of_policies(cursor):
        wanted[role, Use(table, "SELECT", tuple(used))].add(f"policy {by}")
    yield from _refused_uses(cursor, wanted)
    yield from _blind_uses(cursor, wanted)
    yield from _refused_calls(cursor, functions, calls)


def _columns(cursor: Cursor) -> dict[str, list[str]]:
    found = rows(cursor, _SQL["columns"])
    return dict(found)


def _functions(cursor: Cursor, columns: Mapping[str, Sequence[str]]) -> dict[int, _Function]:
    """Return the platform's functions by oid, without those of extensions."""
    return {
        oid: _Function(
            oid=oid,
            name=name,
            owner=owner,
            is_definer=is_definer,
            body=read_body(source, columns=columns, variables=variables),
        )
        for oid, name, owner, is_definer, source, variables in rows(cursor, _SQL["functions"])
    }


def _fired(cursor: Cursor, functions: Mapping[int, _Function]) -> Iterator[_Run]:
    """Yield the functions of triggers, for each role that may do what fires them."""
    for role, table, trigger, oid, kind, definition, may in rows(
        cursor,
        _SQL["fired"],
        roles=list(RUNNERS),
    ):
        not_for = _NOT_FOR.search(definition)
        events = {name for bit, name in _EVENTS.items() if kind & bit}
        if oid in functions and events & set(may) and not (not_for and not_for[1] == role):
            yield _Run(role, oid, f"trigger {trigger} of {table}")


def _asked(cursor: Cursor, functions: Mapping[int, _Function]) -> Iterator[_Run]:
    """Yield the functions in policies, constraints and defaults, for each role that may use their table."""
    for role, table, oid in rows(
        cursor,
        _SQL["asked"],
        roles=list(_BOUND),
    ):
        if oid in functions:
            yield _Run(role, oid, f"{functions[oid].name} of {table}")


def _of_policies(cursor: Cursor) -> list[tuple[str, str, list[str], str]]:
    """Return the columns of other tables that a policy reads: role, table, columns, policy.

    PostgreSQL itself keeps a list of these.
    """
    found: list[tuple[str, str, list[str], str]] = rows(
        cursor,
        _SQL["of_policies"],
        roles=list(_BOUND),
    )
    return found


def _refused_uses(cursor: Cursor, wanted: Mapping[tuple[str, Use], set[str]]) -> Iterator[Finding]:
    asked = [(role, use.table, use.right, column) for role, use in sorted(wanted) for column in (use.columns or ("",))]
    refused: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for role, table, right, column in rows(
        cursor,
        _SQL["refused_uses"],
        roles=[each[0] for each in asked],
        tables=[each[1] for each in asked],
        rights=[each[2] for each in asked],
        columns=[each[3] for each in asked],
    ):
        refused[role, table, right].add(column)
    for (role, table, right), names in refused.items():
        because = {
            reason
            for (who, use), reasons in wanted.items()
            if (who, use.table, use.right) == (role, table, right) and (not use.columns or names & set(use.columns))
            for reason in reasons
        }
        shown = f" ({', '.join(sorted(names - {''}))})" if names - {""} else ""
        yield Finding(
            subject=f"Role {role}",
            problem=f"may not {right} {table}{shown}, which {', '.join(sorted(because))} does with its rights.",
            remedy="Grant these columns in a migration, or take the statement out of the body.",
        )


def _blind_uses(cursor: Cursor, wanted: Mapping[tuple[str, Use], set[str]]) -> Iterator[Finding]:
    """Find uses that are allowed but never find a row, because the table has no policy for the role.

    PostgreSQL reports no error for these.
    """
    asked = sorted({(role, use.table, use.right) for role, use in wanted if role in _BOUND})
    for role, table, right in rows(
        cursor,
        _SQL["blind_uses"],
        roles=[each[0] for each in asked],
        tables=[each[1] for each in asked],
        rights=[each[2] for each in asked],
    ):
        because = {
            reason
            for (who, use), reasons in wanted.items()
            if (who, use.table, use.right) == (role, table, right)
            for reason in reasons
        }
        yield Finding(
            subject=f"Role {role}",
            problem=f"is shown no row of {table} for {right}, which {', '.join(sorted(because))} does with its rights.",
            remedy="Give the table a policy for the role in a migration, or take the statement out of the body.",
        )


def _refused_calls(
    cursor: Cursor, functions: Mapping[int, _Function], calls: Mapping[tuple[str, int], set[str]]
) -> Iterator[Finding]:
    asked = sorted(calls)
    for role, oid in rows(
        cursor,
        """
        SELECT a.role, a.oid FROM unnest(%(roles)s::text[], %(oids)s::bigint[]) AS a (role, oid)
         WHERE NOT has_function_privilege(a.role, a.oid::oid, 'EXECUTE') ORDER BY 1, 2
        """,
        roles=[each[0] for each in asked],
        oids=[each[1] for each in asked],
    ):
        yield Finding(
            subject=f"Role {role}",
            problem=f"may not call {functions[oid].name}, which {', '.join(sorted(calls[role, oid]))} does.",
            remedy="Grant EXECUTE in a migration.",
        )
