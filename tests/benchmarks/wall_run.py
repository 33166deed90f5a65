"""One run of the benchmark: load, measure, hold to the aims, clean up."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from time import perf_counter
from typing import Any

from django.db import transaction
from psycopg import sql

from apps.tenants.context import open_scope
from tests.benchmarks.wall import Plan
from tests.benchmarks.wall_databases import Databases, set_statistics, start_services, superuser
from tests.benchmarks.wall_measure import STATEMENTS, Cell, measure, opened_cell, principal, statements_of
from tests.benchmarks.wall_report import Report
from tests.benchmarks.wall_tenants import load_tenant, multiply, settle, transfer

_STARTED = perf_counter()


def run(plan: Plan) -> Report:
    """Needs Django to be set up with the test settings; see wall.main."""
    report = Report()
    start_services()
    with Databases() as databases:
        loaded = Loaded(databases, plan)
        for size in plan.sizes:
            largest = size == plan.sizes[-1]
            with ExitStack() as stack:
                cells = [stack.enter_context(loaded.cell(size, others, plan.statistics)) for others in plan.others]
                _measure(report, cells, plan)
                if largest:
                    report.hold_to_aims(cells[0], cells[-1])
                if largest and plan.explain:
                    report.plans += _plans(cells[-1])
        if plan.compare_statistics:
            with ExitStack() as stack:
                cells = [
                    stack.enter_context(loaded.cell(plan.sizes[-1], plan.others[-1], statistics))
                    for statistics in ("as migrated", "kept", "none")
                ]
                _measure(report, cells, plan)
                report.compare_statistics(cells)
                if plan.explain:
                    report.plans += [each for cell in cells for each in _plans(cell)]
    return report


class Loaded:
    """The made-up tenants, written once; every database under measurement is a copy with the tenants that it needs."""

    def __init__(self, databases: Databases, plan: Plan) -> None:
        self._databases = databases
        self._store = databases.make("store")
        say("writing the tenants that are searched")
        with superuser(self._store) as connection:
            another = load_tenant(connection, slug="another", number=0, chunks=plan.chunks_of_another)
            self._tenants = {
                size: load_tenant(connection, slug=f"firm-{size}", number=0xF000 + place, chunks=size)
                for place, size in enumerate(plan.sizes)
            }
        self._grounds: dict[int, str] = {}
        ground, present = "", 0
        for others in plan.others:
            say(f"writing {others} other tenants of {plan.chunks_of_another} chunks")
            ground = self._grounds[others] = databases.make(f"others_{others}", source=ground)
            with superuser(ground) as target, superuser(self._store) as source:
                if others and not present:
                    transfer(source, target, another)
                    present = 1
                multiply(target, another, range(present, others))
                present = max(present, others)
                settle(target, analysed=False)

    @contextmanager
    def cell(self, size: int, others: int, statistics: str) -> Iterator[Cell]:
        tenant = self._tenants[size]
        name = self._databases.make(f"{size}_{others}_{statistics.split()[0]}", source=self._grounds[others])
        with superuser(name) as target, superuser(self._store) as source:
            transfer(source, target, tenant)
            settle(target, analysed=True)
        if statistics != "as migrated":
            set_statistics(name, kept=statistics == "kept")
        with opened_cell(name, chunks=size, others=others, tenant=tenant, statistics=statistics) as cell:
            yield cell
        self._databases.drop(name)


def _measure(report: Report, cells: Sequence[Cell], plan: Plan) -> None:
    say(f"measuring {cells[0].chunks} chunks")
    measure(cells, repetitions=plan.repetitions, warm_up=plan.warm_up, limit_s=plan.limit_s)
    for cell in cells:
        report.add(cell)


def _plans(cell: Cell) -> list[str]:
    """Plan and buffers of each statement on both sides, the last of three executions."""
    found: list[str] = []
    for name in STATEMENTS:
        for side, label in ((cell.walled, "with the wall"), (cell.bypassed, "without it")):
            statements = statements_of(cell, name)
            with side.current(), _scope(cell, walled=side is cell.walled):
                for statement, parameters in statements:
                    explained = sql.SQL("EXPLAIN (ANALYZE, BUFFERS, SETTINGS) ") + (
                        sql.SQL(statement) if isinstance(statement, str) else statement
                    )
                    for _ in range(3):
                        with side.connection.cursor() as cursor:
                            cursor.execute(explained, parameters)
                            plan = "\n".join(line for (line,) in cursor.fetchall())
                    found.append(f"\n{name}, {label}, statistics {cell.statistics}, {cell.others} others:\n{plan}")
    return found


def _scope(cell: Cell, *, walled: bool) -> Any:
    if walled:
        return open_scope(tenant=cell.tenant.tenant_id, principal=principal(cell.tenant))
    return transaction.atomic()


def say(what: str) -> None:
    print(f"{perf_counter() - _STARTED:6.1f} s  {what}", file=sys.stderr)
