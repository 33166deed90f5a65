"""How long a series takes where very many facts are held.

    python -m tests.benchmarks.facts [--quick] [--json] [--repetitions N]

One tenant with two scopes, 2,000 companies with five annual reports each, and 500 facts a report: 10,000 documents and
5 million facts. Each report gives 250 rows for its own year and the year before. Asked is as the runtime role, under
the policies, with the planner's statistics as migrated: one concept of one company over its years, another company and
concept each time. What is timed is `read_series`, from its statement to its points, in a scope that is open already.

It is a script and no test: it prints `met` or `missed` without ever failing. `--quick` is a smoke run on few facts,
whose times say nothing. It joins the suite's PostgreSQL or starts it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TYPE_CHECKING, Any

from apps.sql_files import read_statements
from tests.benchmarks.access import _connected, say

if TYPE_CHECKING:
    import psycopg

    from tests.factories import Firm

AIM_MS = 20.0
YEARS = 5
_SQL = read_statements(__file__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """companies: each with YEARS reports. rows: of a report, each with two years."""

    companies: int = 2_000
    rows: int = 250
    repetitions: int = 300


FULL = Plan()
QUICK = Plan(companies=4, rows=10, repetitions=3)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.facts", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run on few facts; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of words")
    parser.add_argument("--repetitions", type=int, help="how many series are read")
    options = parser.parse_args(arguments)
    base = QUICK if options.quick else FULL
    plan = Plan(**{**asdict(base), "repetitions": options.repetitions or base.repetitions})
    # Before the settings are read: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "facts"
    import django

    django.setup()
    report = run(plan)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    verdict = "met" if report["p95_ms"] < AIM_MS else "missed"
    return (
        f"{report['facts']:,} facts of {report['documents']:,} documents; {report['series']} series of "
        f"{report['points']} points: median {report['median_ms']:.1f} ms, p95 {report['p95_ms']:.1f} ms\n"
        f"aim: p95 under {AIM_MS:g} ms: {verdict}"
    )


def run(plan: Plan) -> dict[str, Any]:
    """Load, ask, clean up. Needs Django to be set up with the test settings."""
    from tests.benchmarks.wall_databases import Databases, start_services, superuser
    from tests.factories import make_firm

    start_services()
    with Databases() as databases:
        name = databases.make("facts")
        say(f"writing {plan.companies * YEARS * plan.rows * 2:,} facts")
        with _connected(name):
            firm = make_firm("acme")
            with superuser(name) as connection:
                facts, documents = _load(connection, plan, firm)
            times, points = _measure(plan, firm)
    ordered = sorted(times)
    return {
        "facts": facts,
        "documents": documents,
        "series": len(times),
        "points": points,
        "median_ms": ordered[len(ordered) // 2],
        "p95_ms": ordered[min(len(ordered) - 1, len(ordered) * 95 // 100)],
    }


def _load(connection: psycopg.Connection[Any], plan: Plan, firm: Firm) -> tuple[int, int]:
    scopes = [firm.scopes["fund:alpha"].id, firm.scopes["fund:beta"].id]
    given = {"tenant": firm.id, "scopes": scopes, "companies": plan.companies, "years": YEARS, "rows": plan.rows}
    with connection.cursor() as cursor:
        # The rows are ours, written as superuser: what the triggers hold is not what is measured.
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(_SQL["documents"], given)
        documents = cursor.rowcount
        cursor.execute(_SQL["facts"], given)
        facts = cursor.rowcount
    connection.commit()
    connection.autocommit = True
    connection.execute("VACUUM ANALYZE filings_fact")
    return facts, documents


def _measure(plan: Plan, firm: Firm) -> tuple[list[float], int]:
    from apps.filings.selectors import read_series
    from apps.tenants.context import open_scope

    times: list[float] = []
    points = 0
    with open_scope(tenant=firm.id, reason="a benchmark"):
        for number in range(plan.repetitions):
            company, concept = number * 7919 % plan.companies + 1, number * 104729 % plan.rows + 1
            start = perf_counter()
            series = read_series(f"Company {company}", f"concept {concept}")
            times.append((perf_counter() - start) * 1000)
            points = len(series[0].points)
    return times, points


if __name__ == "__main__":
    main()
