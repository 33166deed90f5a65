"""How long the pages of the access centre take of a firm of 1,000 members and a year of history.

    python -m tests.benchmarks.access_register [--quick] [--json] [--repetitions N]

One tenant with 1,000 people of two memberships each, 1,000 API keys, 200 scopes, 40 kinds, 120 policy versions of which
each reaches something else, and 30,000 changes of grants (the history is that of access.py, in a year). Asked is as an
auditor who sees every scope, through the page itself: from the request to its last byte, with the record in the log,
under the policies of the database. Each question is asked of several instants; a page's processor time in this process
stands beside its time on the clock.

It is a script and no test: it prints `met` or `missed` without ever failing, and each page as a multiple of the
quickest of the run, by which two machines can be compared. `--quick` is a smoke run on a short history, whose times
say nothing. It joins the suite's PostgreSQL or starts it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from time import perf_counter, process_time
from typing import TYPE_CHECKING, Any, Final

from tests.benchmarks import access
from tests.benchmarks.access import KEY_PREFIX, Plan, say

if TYPE_CHECKING:
    import psycopg

    from apps.tenants.ids import TenantId
    from tests.visitor import Visitor

YEAR: Final = timedelta(days=365)
FULL: Final = Plan(versions=120, grant_changes=30_000, people=1_000, scopes=200, repetitions=5)
QUICK: Final = Plan(versions=6, grant_changes=400, people=8, scopes=20, repetitions=1)
# The kinds beside the ten of the pack; each intent that reaches past runs reaches them too.
MORE_KINDS: Final = 30
ONE_S: Final = 2.0
EVERYBODY_S: Final = 10.0
# By its name: the parameters of the page, and the aim in seconds. {at} and {until}: two instants of the year.
QUESTIONS: Final[Mapping[str, tuple[dict[str, str], float]]] = {
    "one person, at one moment": ({"mode": "at", "since": "{at}", "who": "busy-person"}, ONE_S),
    "one key, at one moment": ({"mode": "at", "since": "{at}", "who": f"gbx_{KEY_PREFIX}"}, ONE_S),
    "one person, over the year": (
        {"mode": "range", "since": "{first}", "until": "{last}", "who": "busy-person"},
        ONE_S,
    ),
    "one kind, at one moment": ({"mode": "at", "since": "{at}", "kind": "run"}, ONE_S),
    "one scope, at one moment": ({"mode": "at", "since": "{at}", "scope": "fund:n7"}, ONE_S),
    "everybody, at one moment": ({"mode": "at", "since": "{at}"}, EVERYBODY_S),
    "everybody, between two": ({"mode": "changes", "since": "{at}", "until": "{last}"}, EVERYBODY_S),
    "everybody, over a month": ({"mode": "range", "since": "{at}", "until": "{month}"}, EVERYBODY_S),
    "everybody, over the year": ({"mode": "range", "since": "{first}", "until": "{last}"}, EVERYBODY_S),
    "to print, at one moment": ({"mode": "at", "since": "{at}", "report": "yes"}, EVERYBODY_S),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Seconds of one sort of page. cpu_s: of this process alone. bytes: of the last page."""

    question: str
    aim_s: float
    queries: int
    bytes: int
    median_s: float
    slowest_s: float
    cpu_s: float

    @property
    def verdict(self) -> str:
        return "met" if self.slowest_s < self.aim_s else "missed"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.access_register", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run on a short history; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--repetitions", type=int, help="how many times each page is asked for")
    options = parser.parse_args(arguments)
    base = QUICK if options.quick else FULL
    plan = Plan(**{**asdict(base), "repetitions": options.repetitions or base.repetitions})
    # Before the settings are read: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "register"
    import django

    django.setup()
    lines = run(plan)
    if options.json:
        print(json.dumps([{**asdict(line), "verdict": line.verdict} for line in lines], indent=2))
    else:
        print(as_text(plan, lines))


def as_text(plan: Plan, lines: Sequence[Line]) -> str:
    quickest = min(line.median_s for line in lines)
    rows = [
        f"{plan.people:,} people, {plan.people:,} keys, {plan.scopes:,} scopes, {10 + MORE_KINDS} kinds, "
        f"{plan.versions:,} versions, {plan.grant_changes:,} grant changes in a year",
        "",
        f"{'page':<28}{'queries':>9}{'kB':>8}{'median s':>10}{'slowest s':>11}{'CPU s':>8}{'times':>8}{'aim s':>7}",
    ]
    rows += [
        f"{line.question:<28}{line.queries:>9}{line.bytes / 1000:>8.0f}{line.median_s:>10.2f}{line.slowest_s:>11.2f}"
        f"{line.cpu_s:>8.2f}{line.median_s / quickest:>8.1f}{line.aim_s:>7g}  {line.verdict}"
        for line in lines
    ]
    return "\n".join(rows)


def run(plan: Plan) -> list[Line]:
    """Load, ask, clean up. Needs Django to be set up with the test settings."""
    from apps.tenants.roles import Role
    from tests.benchmarks.wall_databases import Databases, start_services, superuser
    from tests.factories import make_firm, make_member
    from tests.visitor import Visitor

    start_services()
    with Databases() as databases:
        name = databases.make("register")
        say(f"writing {plan.versions:,} versions and {plan.grant_changes:,} grant changes")
        with access._connected(name):
            firm = make_firm("acme", funds=())
            with superuser(name) as connection:
                _add_kinds(connection, firm.id)
                access.load(connection, plan, firm.id, life=YEAR)
                connection.execute(_ALTERED, {"tenant": firm.id, "more": MORE_KINDS})
            make_member(firm, "auditor", Role.AUDITOR)
            visitor = Visitor("auditor")
            return [_measured(visitor, question, plan) for question in QUESTIONS]


def _measured(visitor: Visitor, question: str, plan: Plan) -> Line:
    said, aim_s = QUESTIONS[question]
    now = datetime.now(UTC)
    times, cpu, queries, size = [], [], 0, 0
    for place in range(plan.repetitions):
        at = now - YEAR * (1 - (place + 0.5) / (plan.repetitions + 1))
        instants = {
            "at": at,
            "month": at + timedelta(days=30),
            "first": now - YEAR + timedelta(hours=1),
            "last": now - timedelta(minutes=5),
        }
        given = {
            name: value.format(**{key: f"{each:%Y-%m-%dT%H:%M:%S}" for key, each in instants.items()})
            for name, value in said.items()
        }
        elapsed, spent, queries, size = _ask(visitor, given)
        times.append(elapsed)
        cpu.append(spent)
    times.sort()
    cpu.sort()
    line = Line(
        question=question,
        aim_s=aim_s,
        queries=queries,
        bytes=size,
        median_s=times[len(times) // 2],
        slowest_s=times[-1],
        cpu_s=cpu[len(cpu) // 2],
    )
    say(f"{question}: {line.median_s:.2f} s")
    return line


def _ask(visitor: Visitor, said: Mapping[str, str]) -> tuple[float, float, int, int]:
    """One page. Returns: seconds on the clock, seconds of this process, statements sent, bytes."""
    from django.db import connection

    sent = 0

    def counted(execute: Any, *rest: Any) -> Any:
        nonlocal sent
        sent += 1
        return execute(*rest)

    given = dict(said)
    name = "access_report" if given.pop("report", "") else "access_centre"
    with connection.execute_wrapper(counted):
        started, begun = perf_counter(), process_time()
        page = visitor.open(name, **{**_EMPTY, **given})
        elapsed, spent = perf_counter() - started, process_time() - begun
    assert page.status == 200, f"{said}: {page.text[:2000]}"
    return elapsed, spent, sent, len(page.response.content)


_EMPTY: Final = dict.fromkeys(("since", "until", "who", "role", "scope", "kind", "document"), "")


# Each version reaches another one kind less than the first, so that each ends what everybody reached.
_ALTERED: Final = """
DELETE FROM intents_policyintentkind k USING intents_policyintent i, intents_policyversion v
 WHERE v.tenant_id = %(tenant)s AND i.version_id = v.id AND k.intent_id = i.id AND v.number > 1
   AND k.kind = 'kind_' || (v.number %% %(more)s + 1)
"""


def _add_kinds(target: psycopg.Connection[Any], tenant_id: TenantId) -> None:
    """Give version 1 more kinds, as copies of `run` that the same intents reach."""
    values = {"tenant": tenant_id, "more": MORE_KINDS}
    for table, changed in (
        ("intents_kindbudget", "'kind', 'kind_' || n, 'name', 'Kind ' || n, 'position', 100 + n"),
        ("intents_policyintentkind", "'kind', 'kind_' || n"),
    ):
        target.execute(
            f"INSERT INTO {table} SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(part) || jsonb_build_object("
            f"'id', md5(part.id || '/kind' || n), {changed}))).* FROM (SELECT * FROM {table} part "
            "WHERE tenant_id = %(tenant)s AND kind = 'run' OFFSET 0) part, generate_series(1, %(more)s) n",
            values,
        )


if __name__ == "__main__":
    main()
