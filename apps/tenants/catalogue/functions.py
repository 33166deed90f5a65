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

from apps.tenants.catalogue.bodies import Body, Use, read_body
from apps.tenants.catalogue.contracts import Cursor, Finding
from apps.tenants.catalogue.guarded import rows
from apps.tenants.rights import HANDED_OVER, ORDINARY_ROLES

# The roles that write, and the roles that functions are handed over to, for which triggers fire as well.
RUNNERS: Final = tuple(sorted({*ORDINARY_ROLES, *HANDED_OVER.values()}))
# Functions that compose statements at run time. What they do can't be read from their text, so each is listed here with
# what limits it instead.
DYNAMIC: Final[Mapping[str, str]] = {
    "audit_remove_of_tenant": "the tables come from the policies of RemovedWithTenant, which gives their rights too",
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
    found = rows(
        cursor,
        """
        SELECT c.relname::text, array_agg(a.attname::text ORDER BY a.attnum)
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
          JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname IN ('public', 'authz') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
           AND a.attnum > 0 AND NOT a.attisdropped
         GROUP BY 1
        """,
    )
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
        for oid, name, owner, is_definer, source, variables in rows(
            cursor,
            """
            SELECT p.oid::bigint, p.proname::text, pg_get_userbyid(p.proowner)::text, p.prosecdef,
                   coalesce(pg_get_function_sqlbody(p.oid), p.prosrc), coalesce(p.proargnames, '{}')
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace JOIN pg_language l ON l.oid = p.prolang
             WHERE n.nspname IN ('public', 'authz') AND l.lanname IN ('sql', 'plpgsql')
               AND NOT EXISTS (SELECT FROM pg_depend d
                                WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
             ORDER BY 1
            """,
        )
    }


def _fired(cursor: Cursor, functions: Mapping[int, _Function]) -> Iterator[_Run]:
    """Yield the functions of triggers, for each role that may do what fires them."""
    for role, table, trigger, oid, kind, definition, may in rows(
        cursor,
        """
        SELECT r.name, c.relname::text, t.tgname::text, t.tgfoid::bigint, t.tgtype::int, pg_get_triggerdef(t.oid),
               ARRAY(SELECT p.name FROM unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) AS p (name)
                      WHERE CASE WHEN p.name IN ('INSERT', 'UPDATE')
                                 THEN has_any_column_privilege(r.name, c.oid, p.name)
                                 ELSE has_table_privilege(r.name, c.oid, p.name) END)
          FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid, unnest(%(roles)s::text[]) AS r (name)
         WHERE NOT t.tgisinternal AND t.tgenabled <> 'D'
         ORDER BY 1, 2, 3
        """,
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
        """
        WITH asking AS (
            SELECT p.polrelid AS relation, d.refobjid AS function, p.polroles AS roles
              FROM pg_policy p JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
             WHERE d.refclassid = 'pg_proc'::regclass
            UNION ALL
            SELECT k.conrelid, d.refobjid, '{0}'
              FROM pg_constraint k JOIN pg_depend d ON d.classid = 'pg_constraint'::regclass AND d.objid = k.oid
             WHERE d.refclassid = 'pg_proc'::regclass AND k.conrelid <> 0
            UNION ALL
            SELECT a.adrelid, d.refobjid, '{0}'
              FROM pg_attrdef a JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid
             WHERE d.refclassid = 'pg_proc'::regclass
        )
        SELECT DISTINCT r.name, c.relname::text, a.function::bigint
          FROM asking a JOIN pg_class c ON c.oid = a.relation, unnest(%(roles)s::text[]) AS r (name)
         WHERE (a.roles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = r.name) = ANY (a.roles))
           AND has_any_column_privilege(r.name, c.oid, 'SELECT, INSERT, UPDATE')
         ORDER BY 1, 2, 3
        """,
        roles=list(RUNNERS),
    ):
        if oid in functions:
            yield _Run(role, oid, f"{functions[oid].name} of {table}")


def _of_policies(cursor: Cursor) -> list[tuple[str, str, list[str], str]]:
    """Return the columns of other tables that a policy reads: role, table, columns, policy.

    PostgreSQL itself keeps a list of these.
    """
    found: list[tuple[str, str, list[str], str]] = rows(
        cursor,
        """
        SELECT r.name, o.relname::text, array_agg(DISTINCT a.attname::text), p.polname || ' of ' || c.relname
          FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
          JOIN pg_depend d ON d.classid = 'pg_policy'::regclass AND d.objid = p.oid
               AND d.refclassid = 'pg_class'::regclass AND d.refobjid <> p.polrelid AND d.refobjsubid > 0
          JOIN pg_class o ON o.oid = d.refobjid
          JOIN pg_attribute a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid,
               unnest(%(roles)s::text[]) AS r (name)
         WHERE (p.polroles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = r.name) = ANY (p.polroles))
           AND CASE p.polcmd WHEN 'a' THEN has_any_column_privilege(r.name, c.oid, 'INSERT')
                             WHEN 'w' THEN has_any_column_privilege(r.name, c.oid, 'UPDATE')
                             WHEN 'd' THEN has_table_privilege(r.name, c.oid, 'DELETE')
                             ELSE has_any_column_privilege(r.name, c.oid, 'SELECT, INSERT, UPDATE') END
         GROUP BY r.name, o.relname, p.polname, c.relname
        """,
        roles=list(RUNNERS),
    )
    return found


def _refused_uses(cursor: Cursor, wanted: Mapping[tuple[str, Use], set[str]]) -> Iterator[Finding]:
    asked = [(role, use.table, use.right, column) for role, use in sorted(wanted) for column in (use.columns or ("",))]
    refused: dict[tuple[str, str, str], set[str]] = defaultdict(set)
    for role, table, right, column in rows(
        cursor,
        """
        SELECT a.role, a.tab, a.right_, a.col
          FROM unnest(%(roles)s::text[], %(tables)s::text[], %(rights)s::text[], %(columns)s::text[])
               AS a (role, tab, right_, col)
          JOIN pg_class c ON c.relname = a.tab
               AND c.relnamespace IN ('public'::regnamespace, 'authz'::regnamespace)
         WHERE NOT CASE WHEN a.right_ = 'DELETE' THEN has_table_privilege(a.role, c.oid, 'DELETE')
                        WHEN a.col = '' THEN has_any_column_privilege(a.role, c.oid, a.right_)
                        ELSE has_column_privilege(a.role, c.oid, a.col, a.right_) END
         ORDER BY 1, 2, 3, 4
        """,
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
    asked = sorted({(role, use.table, use.right) for role, use in wanted})
    for role, table, right in rows(
        cursor,
        """
        SELECT a.role, a.tab, a.right_
          FROM unnest(%(roles)s::text[], %(tables)s::text[], %(rights)s::text[]) AS a (role, tab, right_)
          JOIN pg_class c ON c.relname = a.tab
               AND c.relnamespace IN ('public'::regnamespace, 'authz'::regnamespace)
         WHERE c.relrowsecurity AND NOT EXISTS (
               SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polpermissive
                  AND (p.polroles = '{0}' OR (SELECT oid FROM pg_roles WHERE rolname = a.role) = ANY (p.polroles))
                  AND p.polcmd IN ('*', CASE a.right_ WHEN 'SELECT' THEN 'r' WHEN 'INSERT' THEN 'a'
                                                      WHEN 'UPDATE' THEN 'w' ELSE 'd' END))
           AND pg_get_userbyid(c.relowner) <> a.role
         ORDER BY 1, 2, 3
        """,
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
