"""The physical phase: after rows were removed, have PostgreSQL and Redis forget the bytes.

DELETE leaves rows in their pages, VACUUM leaves them in the pages' free space, and pg_statistic and WAL keep copies.
What is needed, as measured on PostgreSQL 18.6 (tests/audit/test_residue_physical.py): each table is written anew
(VACUUM FULL: rows, TOAST and every index), so is pg_statistic, and WAL is turned over until no page of it is older.

It runs as the server's administrator. Every step asks the server whether it is done, so that it may be killed anywhere
and called again with the same plan: what is done stays done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from apps.erasure.residue.access import Access
from apps.erasure.residue.plan import PhysicalPlan, Relation, next_transaction, plan_physical
from apps.erasure.residue.redis_places import rewrite_files
from apps.erasure.residue.wal_turnover import turn_over_wal, wal_kept_elsewhere
from apps.sql_files import read_statements

_SQL = read_statements(__file__)
# VACUUM FULL locks everybody out of its table; while it waits for its turn, everybody who comes later waits behind it.
_LOCK_TIMEOUT = "5s"
_ATTEMPTS = 60
_POLL_S = 0.5
_FIRST = "transactions"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was done, whether the server says that it is, how long it took, and what stood in the way."""

    key: str
    label: str
    done: bool
    elapsed_s: float
    detail: str = ""

    def as_json(self) -> dict[str, object]:
        return {
            "key": self.key,
            "label": self.label,
            "done": self.done,
            "elapsed_s": round(self.elapsed_s, 2),
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class PhysicalResult:
    """steps: only the first where that could not be done, since nothing can be before."""

    steps: tuple[Step, ...]
    unreachable: tuple[str, ...]

    @property
    def complete(self) -> bool:
        return len(self.steps) > 1 and all(step.done for step in self.steps)

    def as_json(self) -> dict[str, object]:
        return {
            "complete": self.complete,
            "steps": [step.as_json() for step in self.steps],
            "unreachable": list(self.unreachable),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """label: what is under way, in words. number: of the step, from 1."""

    number: int
    steps: int
    label: str


OnProgress = Callable[[Progress], None]


def physical_phase(
    tables: Collection[str],
    *,
    access: Access,
    on_progress: OnProgress | None = None,
    plan: PhysicalPlan | None = None,
    wait_s: float = 300.0,
) -> PhysicalResult:
    """Have the bytes of removed rows forgotten, and say what could not be done.

    Each table is locked while it is written anew: nobody reads it meanwhile. Its size is needed again on the disk.

    Args:    tables: of the schema public, those that rows were removed from.
             plan: of an earlier call that did not come to its end; made now when None. To be able to resume, keep
                   `plan_physical(...).as_json()` before the first call.
             wait_s: how long transactions that may still see the removed rows are waited for.
    Raises:  psycopg.OperationalError: the server does not answer. Call again with the same plan.
    """
    plan = plan or plan_physical(tables, access=access)
    work: list[tuple[str, str, Callable[[psycopg.Connection[Any]], str]]] = [
        (
            _FIRST,
            "Wait for transactions that still see what was removed",
            lambda c: _wait(c, plan.next_transaction, wait_s),
        ),
        *((f"table:{relation.name}", f"Rewrite {relation.name}", _rewriting(relation)) for relation in plan.tables),
        *(
            (f"statistics:{relation.name}", f"Rewrite {relation.name}", _rewriting_statistics(relation, wait_s))
            for relation in plan.statistics
        ),
        ("wal", "Overwrite the write-ahead log", lambda _: turn_over_wal(access)),
        ("redis", "Have Redis rewrite its files", lambda _: rewrite_files(access.redis_urls)),
    ]
    steps: list[Step] = []
    with access.connect() as connection:
        for number, (key, label, do) in enumerate(work, 1):
            if on_progress:
                on_progress(Progress(number=number, steps=len(work), label=label))
            begun = time.monotonic()
            problem = do(connection)
            steps.append(
                Step(key=key, label=label, done=not problem, elapsed_s=time.monotonic() - begun, detail=problem)
            )
            if key == _FIRST and problem:
                # A table that is written anew now would take the removed rows along, and look done the next time.
                break
        unreachable = tuple(wal_kept_elsewhere(connection))
    return PhysicalResult(steps=tuple(steps), unreachable=unreachable)


def _wait(connection: psycopg.Connection[Any], transaction: int, wait_s: float) -> str:
    """Until nobody can see what was removed before `transaction` was the next one to begin: VACUUM keeps that.

    Returns: who stood in the way for longer than that, or nothing.
    """
    deadline = time.monotonic() + wait_s
    while holders := list(_older(connection, transaction)):
        if time.monotonic() > deadline:
            return "older than the removal, and still open: " + ", ".join(holders)
        time.sleep(_POLL_S)
    return ""


def _older(connection: psycopg.Connection[Any], transaction: int) -> Iterator[str]:
    """Who may still see rows that were there when `transaction` was the next one to begin.

    A snapshot goes back to the oldest transaction that writes, in whatever database of the server; so does VACUUM's
    own. Therefore writers count wherever they are, also between two statements, where they have no snapshot; others
    count in this database. A plain VACUUM is the exception that PostgreSQL itself makes, ANALYZE is none.
    """
    rows = connection.execute(
        _SQL["older"],
        {"xid": transaction},
    ).fetchall()
    for (holder,) in rows:
        yield holder


def _rewriting(relation: Relation) -> Callable[[psycopg.Connection[Any]], str]:
    def rewrite(connection: psycopg.Connection[Any]) -> str:
        if _rewritten(connection, relation):
            return ""
        name = sql.Identifier(relation.schema, relation.name)
        for attempt in range(_ATTEMPTS):
            connection.execute(sql.SQL("SET lock_timeout = {}").format(sql.Literal(_LOCK_TIMEOUT)))
            try:
                if relation.schema != "pg_catalog":
                    # What statistics say of removed rows is replaced; the planner needs them of what is left.
                    connection.execute(sql.SQL("ANALYZE {}").format(name))
                    _forget_statistics_of_nothing(connection, relation)
                connection.execute(sql.SQL("VACUUM (FULL) {}").format(name))
                break
            except psycopg.errors.InsufficientPrivilege:
                break
            except psycopg.errors.LockNotAvailable:
                if attempt == _ATTEMPTS - 1:
                    return "it is in constant use: run this again when fewer people work"
                time.sleep(_POLL_S)
            finally:
                connection.execute("RESET lock_timeout")
        # Who may not is told so in a warning alone.
        return "" if _rewritten(connection, relation) else "it was not rewritten: this needs its owner or a superuser"

    return rewrite


def _rewriting_statistics(relation: Relation, wait_s: float) -> Callable[[psycopg.Connection[Any]], str]:
    """What ANALYZE has just replaced is seen by who began since the plan was made: they are waited for as well."""
    rewrite = _rewriting(relation)

    def rewrite_later(connection: psycopg.Connection[Any]) -> str:
        if _rewritten(connection, relation):
            return ""
        return _wait(connection, next_transaction(connection), wait_s) or rewrite(connection)

    return rewrite_later


def _rewritten(connection: psycopg.Connection[Any], relation: Relation) -> bool:
    """Whether its rows lie in another file than when the plan was made; a table that is gone has none."""
    row = connection.execute(
        "SELECT pg_relation_filenode(to_regclass(%s))", [f'"{relation.schema}"."{relation.name}"']
    ).fetchone()
    return row is None or row[0] != relation.file


def _forget_statistics_of_nothing(connection: psycopg.Connection[Any], relation: Relation) -> None:
    """ANALYZE of an empty table leaves what an earlier one learned from rows that are gone."""
    name = sql.Identifier(relation.schema, relation.name)
    filled = connection.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(name)).fetchone()
    if filled is None or filled[0]:
        return
    connection.execute(
        # A target of 0 means constants that were put there on purpose: apps/tenants/sql/planner.sql.
        "SELECT pg_clear_attribute_stats(%(schema)s, %(table)s, attname::text, false) FROM pg_attribute "
        "WHERE attrelid = to_regclass(%(name)s) AND attnum > 0 AND NOT attisdropped "
        "AND attstattarget IS DISTINCT FROM 0",
        {"schema": relation.schema, "table": relation.name, "name": f'"{relation.schema}"."{relation.name}"'},
    )
