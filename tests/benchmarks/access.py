"""How long "who could reach what, when" takes when the history is long.

    python -m tests.benchmarks.access [--quick] [--json] [--repetitions N] [--scopes N]

One tenant with 10,000 policy versions, one after the other, 500 people with two memberships each, 500 API keys, 200
scopes, and 100,000 changes of grants, of which the busy person and the busy key have a tenth each. Asked is as the
runtime role, under the policies, with the planner's statistics as migrated; every question is about another instant,
from the tenant's creation to now. What is timed is `access_ask` from its first statement to its record in the log,
with the collection of garbage off.

- `version met before`: the process has read that policy version already;
- `version new to the process`: its content is read too (six queries more).

It is a script and no test: it prints `met` or `missed` without ever failing. `--quick` is a smoke run on a short
history, whose times say nothing. It joins the suite's PostgreSQL or starts it, and drops its database at the end.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

if TYPE_CHECKING:
    import psycopg

    from apps.tenants.ids import TenantId

AIM_MS = 50.0
SUBJECTS = ("busy-person", "ordinary-person", "busy-key")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How long the history is; people is the number of the API keys too."""

    versions: int = 10_000
    grant_changes: int = 100_000
    people: int = 500
    scopes: int = 200
    repetitions: int = 200


FULL = Plan()
QUICK = Plan(versions=12, grant_changes=400, people=8, scopes=20, repetitions=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Milliseconds of one sort of question."""

    subject: str
    case: str
    questions: int
    queries: int
    median_ms: float
    p95_ms: float
    could_reach: int

    @property
    def verdict(self) -> str:
        return "met" if self.p95_ms < AIM_MS else "missed"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.access", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--quick", action="store_true", help="a smoke run on a short history; its times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--repetitions", type=int, help="how many questions of each sort")
    parser.add_argument(
        "--scopes", type=int, help="every scope of the asker stands in the token that each query checks"
    )
    options = parser.parse_args(arguments)
    base = QUICK if options.quick else FULL
    chosen = {name: getattr(options, name) or getattr(base, name) for name in ("repetitions", "scopes")}
    plan = Plan(**{**asdict(base), **chosen})
    # Before the settings are read: they name the database after the run.
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "access"
    import django

    django.setup()
    lines = run(plan)
    if options.json:
        report = {
            "plan": asdict(plan),
            "aim_ms": AIM_MS,
            "lines": [{**asdict(line), "verdict": line.verdict} for line in lines],
        }
        print(json.dumps(report, indent=2))
    else:
        print(as_text(plan, lines))


def as_text(plan: Plan, lines: Sequence[Line]) -> str:
    rows = [
        f"{plan.versions:,} versions, {plan.grant_changes:,} grant changes, {plan.people:,} people, "
        f"{plan.scopes:,} scopes; aim: p95 under {AIM_MS:g} ms",
        "",
        f"{'asked about':<22}{'policy version':<30}{'questions':>10}{'queries':>9}{'median ms':>11}{'p95 ms':>9}  aim",
    ]
    rows += [
        f"{line.subject:<22}{line.case:<30}{line.questions:>10}{line.queries:>9}{line.median_ms:>11.1f}"
        f"{line.p95_ms:>9.1f}  {line.verdict}"
        for line in lines
    ]
    return "\n".join(rows)


def run(plan: Plan) -> list[Line]:
    """Load, ask, clean up. Needs Django to be set up with the test settings."""
    from tests.benchmarks.wall_databases import Databases, start_services, superuser
    from tests.factories import make_firm

    start_services()
    with Databases() as databases:
        name = databases.make("access")
        say(f"writing {plan.versions:,} versions and {plan.grant_changes:,} grant changes")
        with _connected(name):
            tenant_id = make_firm("acme", funds=()).id
            with superuser(name) as connection:
                load(connection, plan, tenant_id)
            return [line for subject in SUBJECTS for line in _measured(subject, tenant_id, plan)]


def say(text: str) -> None:
    print(text, file=sys.stderr)


@contextmanager
def _connected(database: str) -> Iterator[None]:
    """Django's default connection to the database as the runtime role."""
    from django.db import connections

    from tests.benchmarks.wall_databases import WALLED_ROLE, connect

    before = connections["default"]
    connections["default"] = connect(database, WALLED_ROLE)
    try:
        yield
    finally:
        connections["default"].close()
        connections["default"] = before


def _measured(subject: str, tenant_id: TenantId, plan: Plan) -> list[Line]:
    from apps.intents import selectors
    from apps.intents.access import Verdict

    now = datetime.now(UTC)
    begun = now - LIFE
    instants = [begun + LIFE * (place + 0.5) / plan.repetitions for place in range(plan.repetitions)]
    lines = []
    for case in ("version new to the process", "version met before"):
        times, reached = [], 0
        queries = 0
        for at in instants:
            selectors._snapshots.clear()
            if case == "version met before":
                ask(subject, tenant_id, at)
            elapsed_ms, queries, verdict = ask(subject, tenant_id, at)
            times.append(elapsed_ms)
            reached += verdict is Verdict.COULD_REACH
        times.sort()
        lines.append(
            Line(
                subject=subject,
                case=case,
                questions=len(times),
                queries=queries,
                median_ms=times[len(times) // 2],
                p95_ms=times[min(len(times) - 1, int(len(times) * 0.95))],
                could_reach=reached,
            )
        )
        say(f"{subject}, {case}: {lines[-1].median_ms:.1f} ms")
    return lines


def ask(subject: str, tenant_id: TenantId, at: datetime) -> tuple[float, int, Any]:
    """One question. Returns: milliseconds, statements sent, the verdict."""
    from django.db import connection

    from apps.intents.access import access_ask
    from apps.tenants.context import open_scope

    asked = {"key": KEY_PREFIX} if subject == "busy-key" else {"user": subject}
    sent = 0

    def counted(execute: Any, *rest: Any) -> Any:
        nonlocal sent
        sent += 1
        return execute(*rest)

    with open_scope(tenant=tenant_id, reason="a benchmark"), connection.execute_wrapper(counted):
        gc.disable()
        try:
            started = perf_counter()
            answer = access_ask(**asked, at=at)
            return (perf_counter() - started) * 1000, sent, answer.verdict
        finally:
            gc.enable()


# --- The made-up history --------------------------------------------------------------------------------------------

LIFE = timedelta(days=3650)
KEY_PREFIX = "busykey00000"

# Each row of a version's content once for every further version, with ids made of its own and the version's number.
_PARTS = (
    ("intents_policyintent", "version_id", "true"),
    ("intents_kindbudget", "version_id", "true"),
    ("intents_policyintentkind", "intent_id", "true"),
    ("intents_intentterm", "intent_id", "part.position <= 5"),
    ("intents_goldenexample", "intent_id", "part.position %% 10 = 0"),
)
_TABLES = (
    "tenants_scope",
    "tenants_user",
    "tenants_membership",
    "tenants_apikey",
    "tenants_grant",
    "intents_policyversion",
    *(table for table, _, _ in _PARTS),
)
_PEOPLE = """
INSERT INTO tenants_user (id, username, password, first_name, last_name, email, is_superuser, is_staff, is_active,
                          date_joined)
SELECT md5('user' || n)::uuid, CASE n WHEN 1 THEN 'busy-person' WHEN 2 THEN 'ordinary-person' ELSE 'person-' || n END,
       '', '', '', '', false, true, true, %(begun)s FROM generate_series(1, %(people)s) n
"""
# Two each: an analyst's all the time, a reviewer's for the first half of it.
_MEMBERSHIPS = """
INSERT INTO tenants_membership (id, tenant_id, user_id, role, created_at, accepted_at, confirmed_at, revoked_at)
SELECT md5(role || n)::uuid, %(tenant)s, md5('user' || n)::uuid, role, %(begun)s, %(begun)s, %(begun)s,
       CASE role WHEN 'reviewer' THEN %(begun)s + %(life)s / 2 END
  FROM generate_series(1, %(people)s) n, unnest(ARRAY['analyst', 'reviewer']) role
"""
_KEYS = """
INSERT INTO tenants_apikey (id, tenant_id, name, prefix, secret_sha256, role, created_at)
SELECT md5('key' || n)::uuid, %(tenant)s, 'Key ' || n, CASE n WHEN 1 THEN %(prefix)s ELSE lpad(n::text, 12, '0') END,
       '', 'analyst', %(begun)s FROM generate_series(1, %(people)s) n
"""
# Ten scopes below the root, the others below these; all were made in the first half.
_SCOPES = """
INSERT INTO tenants_scope (id, tenant_id, key, name, parent_id, created_at)
SELECT md5('scope' || n)::uuid, %(tenant)s, 'fund:n' || n, 'Fund ' || n,
       CASE WHEN n <= 10 THEN %(root)s ELSE md5('scope' || n %% 10 + 1)::uuid END,
       %(begun)s + %(life)s / 2 * n / %(scopes)s FROM generate_series(1, %(scopes)s) n
"""
# A holder's grants follow one another evenly, some twenty of them at once; the last ones have no end.
_GRANTS = """
INSERT INTO tenants_grant (id, tenant_id, scope_id, {holder}, valid_from, valid_to)
SELECT md5(%(holder_id)s || '/' || n)::uuid, %(tenant)s, md5('scope' || (n * 7919) %% %(scopes)s + 1)::uuid,
       %(holder_id)s::uuid, %(begun)s + %(life)s * (n - 1) / %(count)s,
       CASE WHEN n + 10 < %(count)s THEN %(begun)s + %(life)s * (n + 19) / (%(count)s + 20) END
  FROM generate_series(1, %(count)s) n
"""


def load(target: psycopg.Connection[Any], plan: Plan, tenant_id: TenantId, *, life: timedelta = LIFE) -> None:
    """Give a tenant so much history. Triggers and constraints between rows are off for this connection."""
    begun = datetime.now(UTC) - life
    ids = {"tenant": tenant_id, "begun": begun, "life": life}
    (root,) = target.execute("SELECT id FROM tenants_scope WHERE tenant_id = %(tenant)s", ids).fetchone() or ("",)
    target.execute("UPDATE tenants_tenant SET created_at = %(begun)s WHERE id = %(tenant)s", ids)
    target.execute("UPDATE tenants_scope SET created_at = %(begun)s WHERE tenant_id = %(tenant)s", ids)
    target.execute(_PEOPLE, {**ids, "people": plan.people})
    target.execute(_MEMBERSHIPS, {**ids, "people": plan.people})
    target.execute(_KEYS, {**ids, "people": plan.people, "prefix": KEY_PREFIX})
    target.execute(_SCOPES, {**ids, "root": root, "scopes": plan.scopes})
    holders = [
        (holder, row[0])
        for holder, table in (("membership_id", "tenants_membership"), ("api_key_id", "tenants_apikey"))
        for row in target.execute(f"SELECT id FROM {table} WHERE tenant_id = %(tenant)s", ids).fetchall()
    ]
    busy = {md5_uuid("analyst1"), md5_uuid("key1")}
    rest = plan.grant_changes * 8 // 10 // (len(holders) - len(busy))
    for holder, holder_id in holders:
        count = plan.grant_changes // 10 if holder_id in busy else rest
        grants = {**ids, "holder_id": str(holder_id), "scopes": plan.scopes, "count": count}
        target.execute(_GRANTS.format(holder=holder), grants)
    _load_policies(target, plan, ids)
    for table in _TABLES:
        target.execute(f"VACUUM ANALYZE {table}")


def md5_uuid(text: str) -> UUID:
    return UUID(hashlib.md5(text.encode(), usedforsecurity=False).hexdigest())


def _load_policies(target: psycopg.Connection[Any], plan: Plan, ids: dict[str, Any]) -> None:
    """Copies of version 1, in force one after the other for equal times. Whatever other column there is is copied."""
    values = {
        **ids,
        "versions": plan.versions,
        "author": md5_uuid("user1"),
        "approver": md5_uuid("user2"),
    }
    target.execute(
        "UPDATE intents_policyversion SET status = 'superseded', valid_from = %(begun)s, "
        "valid_to = %(begun)s + %(life)s / %(versions)s WHERE tenant_id = %(tenant)s",
        values,
    )
    target.execute(
        """
        INSERT INTO intents_policyversion
        SELECT (jsonb_populate_record(version, jsonb_build_object(
                   'id', md5(version.id || '/' || n), 'number', n, 'origin', 'draft',
                   'status', CASE WHEN n = %(versions)s THEN 'active' ELSE 'superseded' END,
                   'valid_from', %(begun)s + %(life)s * (n - 1) / %(versions)s,
                   'effective_from', %(begun)s + %(life)s * (n - 1) / %(versions)s,
                   'valid_to', CASE WHEN n < %(versions)s THEN %(begun)s + %(life)s * n / %(versions)s END,
                   'author_id', %(author)s, 'author_label', 'ann',
                   'approver_id', %(approver)s, 'approver_label', 'ben'))).*
          FROM intents_policyversion version, generate_series(2, %(versions)s) n
         WHERE version.tenant_id = %(tenant)s AND version.number = 1
        """,
        values,
    )
    for table, owner, kept in _PARTS:
        target.execute(
            f"""
            INSERT INTO {table}
            SELECT (jsonb_populate_record(NULL::{table}, to_jsonb(part) || jsonb_build_object(
                       'id', md5(part.id || '/' || n), '{owner}', md5(part.{owner} || '/' || n)))).*
              FROM (SELECT * FROM {table} part WHERE tenant_id = %(tenant)s AND {kept} OFFSET 0) part,
                   generate_series(2, %(versions)s) n
            """,
            values,
        )


if __name__ == "__main__":
    main()
