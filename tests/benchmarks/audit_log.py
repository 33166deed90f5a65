"""How fast the log takes events while it is being sealed, and how long an event waits for its leaf.

    python -m tests.benchmarks.audit_log [--quick] [--question] [--json]

4 processes of 8 writers each record 100,000 events of one tenant (the worst case: one tree, one queue), each in a
transaction of its own with a person's scope opened and committed, as requests do. Beside them one sealer does every
second what the worker does by the clock. The time to seal of an event is from its commit to the commit of the batch
that gave it its leaf. At the end every event must have one leaf, at contiguous places, and the stored root must be the
recomputed one. It judges times, and never fails for them. It joins the suite's PostgreSQL or starts it, and drops its
database at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from multiprocessing import get_context
from statistics import median, quantiles
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

if TYPE_CHECKING:
    from apps.tenants.principals import Principal

AIM_PER_S: Final = 1_500
AIM_P99_S: Final = 2.0
TICK_S: Final = 1.0
# A sealer that is stuck must not run for ever.
_PATIENCE_S: Final = 120.0


Written = tuple[str, float, float]
"""An event's id, when its writing began, and when it was committed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    processes: int
    writers: int
    events: int

    @property
    def each(self) -> int:
        """Events a writer, so that there are at least as many as planned."""
        return -(-self.events // (self.processes * self.writers))


FULL = Plan(processes=4, writers=8, events=100_000)
QUICK = Plan(processes=2, writers=4, events=600)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.audit_log", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run of seconds, whose times say nothing")
    parser.add_argument("--events", type=int, default=FULL.events, help="how many events")
    parser.add_argument("--question", action="store_true", help="events of a whole retrieval, 20 hits, 5 groups")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    # Before the settings are read, here and in the children: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "log"
    _set_up()
    report = run(QUICK if options.quick else replace(FULL, events=options.events), question=options.question)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    rate, seal = report["appends_per_s"], report["time_to_seal_s"]
    p99 = seal["p99"]
    return "\n".join(
        [
            f"{report['events']:,} events by {report['processes']} x {report['writers']} writers, {report['kind']}",
            f"appends              {rate:>10,.0f} /s     aim: {AIM_PER_S:,} /s: {_verdict(rate >= AIM_PER_S)}",
            f"time to seal, median {seal['median']:>10.2f} s",
            f"time to seal, p99    {p99:>10.2f} s      aim: {AIM_P99_S:g} s: {_verdict(p99 <= AIM_P99_S)}",
            f"time to seal, most   {seal['most']:>10.2f} s",
            f"p99 by tenths of the run: {', '.join(f'{each:.1f}' for each in report['p99_by_tenth_s'])} s",
            f"one leaf an event, contiguous, and the root recomputed in {report['verified_in_s']:.1f} s: "
            f"{'yes' if report['whole'] else 'NO'}",
        ]
    )


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def run(plan: Plan, *, question: bool) -> dict[str, Any]:
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services()
    with Databases() as databases:
        return _measured(databases.make("log"), plan, question=question)


def _measured(database: str, plan: Plan, *, question: bool) -> dict[str, Any]:
    from apps.tenants.roles import Role
    from tests.benchmarks.wall_databases import WALLED_ROLE
    from tests.factories import make_firm, make_member

    with _connected(database, WALLED_ROLE):
        firm = make_firm("acme")
        tenant, alice = firm.id, make_member(firm, "alice", Role.TENANT_ADMIN)
    context = get_context("spawn")
    start = context.Barrier(plan.processes + 1)
    with ProcessPoolExecutor(plan.processes + 1, mp_context=context, initializer=_set_up, initargs=(start,)) as pool:
        sealer = pool.submit(_seal_on, database, tenant, plan.processes * plan.writers * plan.each)
        writers = [
            pool.submit(_write, database, alice, plan.writers, plan.each, question) for _ in range(plan.processes)
        ]
        written = [moment for each in writers for moment in each.result()]
        sealed = sealer.result()
    with _connected(database, WALLED_ROLE):
        return _report(plan, tenant, written, sealed, question=question)


def _report(
    plan: Plan,
    tenant: UUID,
    written: list[Written],
    sealed: list[tuple[int, float]],
    *,
    question: bool,
) -> dict[str, Any]:
    from apps.audit.models import Leaf
    from apps.tenants.context import open_scope
    from apps.tenants.ids import TenantId

    with open_scope(tenant=TenantId(tenant), reason="a benchmark"):
        places = {str(id): index for id, index in Leaf.objects.values_list("event_id", "index")}
    waits, batch = [], 0
    for place, committed in sorted((places[id], committed) for id, _, committed in written):
        while sealed[batch][0] <= place:
            batch += 1
        waits.append(sealed[batch][1] - committed)
    began = time.perf_counter()
    whole = _is_whole(TenantId(tenant), set(places), {id for id, _, _ in written})
    span = max(committed for _, _, committed in written) - min(began_at for _, began_at, _ in written)
    return {
        "events": len(written),
        "processes": plan.processes,
        "writers": plan.writers,
        "kind": "a whole retrieval of 20 hits" if question else "small events of two groups",
        "appends_per_s": len(written) / span,
        "time_to_seal_s": {"median": median(waits), "p99": quantiles(waits, n=100)[-1], "most": max(waits)},
        "p99_by_tenth_s": [quantiles(part, n=100)[-1] for part in _tenths(waits)],
        "whole": whole,
        "verified_in_s": time.perf_counter() - began,
    }


def _tenths(waits: list[float]) -> list[list[float]]:
    """In the order of the log: whether the sealer falls behind, or was late once."""
    length = len(waits) // 10
    return [waits[start : start + length] for start in range(0, 10 * length, length)]


def _is_whole(tenant: Any, in_log: set[str], written: set[str]) -> bool:
    from apps.audit.log.leaves import leaf_of
    from apps.audit.log.storage import root_at
    from apps.audit.log.tree import Frontier
    from apps.audit.models import Event, Leaf, Unsealed
    from apps.tenants.context import open_scope

    tree, step = Frontier(), 5_000
    while True:
        # A scope is open for a minute at most.
        with open_scope(tenant=tenant, reason="a benchmark"):
            leaves = list(Leaf.objects.filter(index__gte=tree.size, index__lt=tree.size + step).order_by("index"))
            if not leaves:
                return (
                    written <= in_log
                    and len(in_log) == tree.size == Event.objects.count()
                    and not Unsealed.objects.exists()
                    and root_at(tree.size) == tree.root
                )
            if [leaf.index for leaf in leaves] != list(range(tree.size, tree.size + len(leaves))):
                return False
            events = Event.objects.in_bulk([leaf.event_id for leaf in leaves])
            hashes = [leaf_of(events[leaf.event_id]) for leaf in leaves]
            if hashes != [bytes(leaf.hash) for leaf in leaves]:
                return False
            tree = tree.appended(hashes)


# --- In the children --------------------------------------------------------------------------------------------------


# All begin together, when the last process has read its modules.
_start: Any = None


def _set_up(start: Any = None) -> None:
    global _start
    import django

    django.setup()
    _start = start


def _write(database: str, principal: Principal, writers: int, each: int, question: bool) -> list[Written]:
    """So many writers at once."""
    _warmed(database, principal.tenant_id)
    _start.wait()
    done: list[Written] = []
    threads = [
        threading.Thread(target=_author, args=(database, principal, each, question, done)) for _ in range(writers)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(done) != writers * each:
        raise RuntimeError(f"{writers * each - len(done)} events were not written: see above")
    return done


def _warmed(database: str, tenant: UUID) -> None:
    """Modules read, and the tenant's data key known to the process."""
    from apps.audit.keys.data_keys import current_data_key
    from apps.tenants.context import open_scope
    from apps.tenants.ids import TenantId
    from tests.benchmarks import audit_record as audit_record
    from tests.benchmarks.wall_databases import WALLED_ROLE

    with _connected(database, WALLED_ROLE), open_scope(tenant=TenantId(tenant), reason="a benchmark"):
        current_data_key(TenantId(tenant), datetime.now(UTC))


def _author(database: str, principal: Principal, each: int, question: bool, done: list[Written]) -> None:
    from apps.audit.services import record
    from apps.retrieval.events import ANSWERED
    from apps.tenants.context import open_scope
    from tests.benchmarks.audit_record import _payload
    from tests.benchmarks.wall_databases import WALLED_ROLE

    action, payload = (ANSWERED, _payload()) if question else ("tenants.scope.created", {"core": {"key": "fund:x"}})
    with _connected(database, WALLED_ROLE):
        for _ in range(each):
            began = time.time()
            with open_scope(tenant=principal.tenant_id, principal=principal):
                event = record(action=action, **payload)
            done.append((str(event.id), began, time.time()))


def _seal_on(database: str, tenant: UUID, wanted: int) -> list[tuple[int, float]]:
    """Seal by the clock until so many more are sealed. Returns: the log's size after each batch, and when."""
    from apps.audit.log import sequencer
    from apps.audit.log.storage import stored_size
    from apps.tenants.context import open_scope
    from apps.tenants.ids import TenantId

    found: list[tuple[int, float]] = []
    batch = sequencer._seal_batch

    def noted(principal: Principal) -> int | None:
        count = batch(principal)
        if count:
            found.append((count + (found[-1][0] if found else 0), time.time()))
        return count

    sequencer._seal_batch = noted
    # As the sealer of an installation, which has been at it for days: its modules are read, and the queue is empty.
    with _connected(database, "glassbox_worker"):
        sequencer.seal_all_waiting()
    _start.wait()
    deadline = time.monotonic() + _PATIENCE_S
    with _connected(database, "glassbox_worker"):
        while time.monotonic() < deadline:
            tick = time.monotonic()
            if sequencer.seal_all_waiting():
                deadline = time.monotonic() + _PATIENCE_S
            if found and found[-1][0] >= wanted:
                # What the making of the tenant wrote counts too: until nothing waits any more.
                with open_scope(tenant=TenantId(tenant), reason="a benchmark"):
                    if stored_size() == found[-1][0] and not _anything_waits():
                        return found
            time.sleep(max(0.0, TICK_S - (time.monotonic() - tick)))
    raise RuntimeError(f"{wanted} events were wanted, and {found[-1][0] if found else 0} were sealed")


def _anything_waits() -> bool:
    from apps.audit.models import Unsealed

    return Unsealed.objects.exists()


@contextmanager
def _connected(database: str, role: str) -> Iterator[None]:
    """This thread's connection, to that database as that role."""
    from django.db import connections

    from tests.benchmarks.wall_databases import connect

    ordinary, chosen = connections["default"], connect(database, role)
    connections["default"] = chosen
    try:
        yield
    finally:
        connections["default"] = ordinary
        chosen.close()


if __name__ == "__main__":
    main()
