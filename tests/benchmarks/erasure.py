"""From a request to its certificate: how long each part takes in a small tenant, and how that grows.

    python -m tests.benchmarks.erasure [--chunks N ...] [--of person document tenant] [--document D] [--questions Q]
                                       [--others M] [--quick] [--json]

For each N (10,000 and 100,000): a tenant of N passages in documents of 500, and another one of M (20,000), in a server
of their own that is set up as in production. First a request for a person who is in ten documents of 20 passages: they
are searched for, confirmed, proposed, approved; needles and control; carried out store by store; the physical phase;
the residue scan; the certificate. Then a request for one document of D passages (5,000). Then one for the tenant as a
whole, its log of Q questions (2,000) and its keys included. Everything goes the way that it goes in earnest, each part
by the role whose work it is, in this process.

CPU is of this process and of the server's. Growth is the CPU in the largest tenant by that in the smallest, to be read
beside how far the sizes themselves are apart. It is a script and no test: it judges nothing. --quick uses the suite's
server and small tenants: a smoke run, whose times say nothing.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any
from uuid import UUID

from tests.benchmarks.own_server import server_of_its_own

if TYPE_CHECKING:
    from apps.erasure.models import RemovalRun
    from apps.erasure.residue.access import Access
    from apps.privacy.models import ErasureRequest
    from tests.audit.requesting import Office
    from tests.benchmarks.erasure_steps import Steps

SIZES = (10_000, 100_000)
OF = ("person", "document", "tenant")
LARGE, OTHERS, QUESTIONS = 5_000, 20_000, 2_000
QUICK: dict[str, Any] = {"sizes": (100,), "large": 40, "others": 40, "questions": 20}
OF_DOCUMENT = 500
PERSON_DOCUMENTS, PERSON_CHUNKS = 10, 20
NAME = "Quirin Zaunkoenig"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks.erasure", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument(
        "--chunks", type=int, nargs="+", default=SIZES, help="passages of the tenant: each size is a run"
    )
    parser.add_argument("--document", type=int, default=LARGE, help="passages of the document that is erased")
    parser.add_argument("--others", type=int, default=OTHERS, help="passages of another tenant, which stays")
    parser.add_argument("--questions", type=int, default=QUESTIONS, help="answered questions in the tenant's log")
    parser.add_argument("--of", nargs="+", choices=OF, default=OF, help="what is erased, in this order")
    parser.add_argument("--quick", action="store_true", help="small tenants in the suite's server: times say nothing")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.environ["GLASSBOX_TEST_RUN"], os.environ["PYTEST_XDIST_WORKER"] = str(os.getpid()), "erasure"
    given = {
        "sizes": options.chunks,
        "large": options.document,
        "others": options.others,
        "questions": options.questions,
    }
    with server_of_its_own():
        import django

        django.setup()
        report = run(**(QUICK if options.quick else given), of=options.of)
    print(json.dumps(report, indent=2) if options.json else as_text(report))


def as_text(report: dict[str, Any]) -> str:
    sizes = report["sizes"]
    lines = [
        f"{size['chunks']:,} passages, and {report['others']:,} of another tenant; one document of {report['large']:,};"
        f" {report['questions']:,} questions; written in {size['loading_s']:.0f} s; {size['database_mb']:,.0f} MB"
        for size in sizes
    ]
    for of in sizes[0]["parts"]:
        parts = [size["parts"][of] for size in sizes]
        lines += ["", f"A {of}: {', '.join(part['state'] for part in parts)}"]
        lines += [f"{'':<52}" + "".join(f"{size['chunks']:>24,}{'':>4}" for size in sizes) + f"{'growth':>8}"]
        lines += [f"{'':<52}" + f"{'seconds':>9}{'CPU':>8}{'items':>11}" * len(sizes)]
        lines += [_line(name, parts) for name in _names(parts)]
    return "\n".join(lines)


def _names(parts: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(step["name"] for part in reversed(parts) for step in part["steps"]))


def _line(name: str, parts: Sequence[dict[str, Any]]) -> str:
    found = [next((step for step in part["steps"] if step["name"] == name), None) for part in parts]
    line = f"{name:<52}"
    for step in found:
        cpu = f"{step['cpu_s']:>8.1f}" if step and "cpu_s" in step else f"{'':>8}"
        items = f"{step['items']:>11,}" if step and step["items"] else f"{'':>11}"
        line += (f"{step['seconds']:>9.2f}" if step else f"{'':>9}") + cpu + items
    first, last = found[0], found[-1]
    grew = first and last and first is not last and first.get("cpu_s", 0) >= 0.05
    return line + (f"{last['cpu_s'] / first['cpu_s']:>8.1f}" if grew and first and last else "")


def run(sizes: Sequence[int], *, large: int, others: int, questions: int, of: Sequence[str] = OF) -> dict[str, Any]:
    """On a server that nobody else uses: all of it is looked through, and its WAL holds what others' tests write."""
    from config.services import Durability
    from tests.benchmarks.wall_databases import Databases, start_services

    start_services(durability=Durability.DURABLE)
    measured = []
    with Databases() as databases:
        for size in sizes:
            database = databases.make(f"of_{size}")
            with _written(database, size, large=large, others=others, questions=questions) as (tenant, line):
                access = _access(database)
                measured.append(line | {"parts": {each: _erased(tenant, each, access) for each in of}})
            databases.drop(database)
    return {"large": large, "others": others, "questions": questions, "sizes": measured}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tenant:
    office: Office
    document: UUID


@contextmanager
def _written(
    database: str, chunks: int, *, large: int, others: int, questions: int
) -> Iterator[tuple[_Tenant, dict[str, Any]]]:
    """Both tenants, this process connected as the application is. Yields: the one that is erased, and what it took."""
    from django.db import connections

    from tests.audit.requesting import make_office
    from tests.benchmarks.erasure_rows import as_autovacuum_leaves_it, ask, load, new_ids
    from tests.benchmarks.wall_databases import WALLED_ROLE, connect, superuser
    from tests.factories import make_firm

    ordinary, walled = connections["default"], connect(database, WALLED_ROLE)
    connections["default"] = walled
    try:
        began = perf_counter()
        office, other = make_office(), make_firm("bystander")
        many, named, one = (new_ids(count) for count in (chunks // OF_DOCUMENT or 1, PERSON_DOCUMENTS, 1))
        load(database, office.firm, many, min(OF_DOCUMENT, chunks))
        load(database, office.firm, named, PERSON_CHUNKS, words=f"{NAME} agreed.")
        load(database, office.firm, one, large)
        load(database, other, new_ids(others // OF_DOCUMENT or 1), min(OF_DOCUMENT, others))
        ask(office.firm, named, [*one, *many], questions)
        as_autovacuum_leaves_it(database)
        with superuser(database) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        line = {"chunks": chunks, "loading_s": perf_counter() - began, "database_mb": row[0] / 1e6 if row else 0}
        yield _Tenant(office=office, document=one[0]), line
    finally:
        walled.close()
        connections["default"] = ordinary


def _access(database: str) -> Access:
    """WAL is turned over, so that what was loaded is not read."""
    from django.conf import settings

    from apps.erasure.residue.access import access_from_settings
    from apps.erasure.residue.wal_turnover import turn_over_wal

    found = access_from_settings(redis_match=f"*{settings.TEST_DATABASE}*", whole_server=True)
    access = replace(found, database=database, backup_url={**found.backup_url, "PGDATABASE": database})
    if problem := turn_over_wal(access):
        raise RuntimeError(problem)
    return access


def _erased(tenant: _Tenant, of: str, access: Access) -> dict[str, Any]:
    from django.test import override_settings

    from apps.erasure.models import RemovalRun
    from apps.privacy.proposals.prospect import prospect
    from apps.tenants.context import open_scope
    from tests.audit.mutations import acting_as
    from tests.benchmarks.erasure_steps import Steps
    from tests.conftest import admin_dsn
    from tests.deciding import inventory_propose, request_approve
    from tests.factories import as_

    office, steps = tenant.office, Steps(admin_dsn())
    request = _person(office, steps) if of == "person" else _following(tenant, of)
    with as_(office.dora), steps.measured("inventory: what every store holds of it") as told:
        told(sum(count for _, count in prospect(request).stores))
    proven = override_settings(GLASSBOX_PHYSICAL_ORIGINS=frozenset({"request"}))
    with proven, as_(office.dora), steps.measured("proposing: freezing the targets"):
        request = inventory_propose(request.id)
    with as_(office.rita), steps.measured("approving: restricting the documents"):
        request_approve(request.id)
    with open_scope(tenant=office.firm.id, reason="a benchmark"):
        run = RemovalRun.objects.get(id=request.run_id)
    with acting_as("glassbox_eraser"), steps.measured("preparing: needles, and the control that a scan finds them"):
        _prove(access)
    _carried_out(office, run, steps)
    with acting_as("glassbox_eraser"), steps.measured("looking at the disk: physical phase and residue scan"):
        _prove(access)
    _looked(office, run, steps)
    _certified(office, run, steps)
    return {"state": office.again(request).state, "steps": steps.lines}


def _person(office: Office, steps: Steps) -> ErasureRequest:
    """A request for a person that is ready to be proposed: everything that was found is them, and goes."""
    from apps.privacy.codes.inventory import InventoryState, Treatment
    from apps.privacy.inventory.asking import inventory_request
    from apps.privacy.inventory.deciding import document_treat
    from apps.privacy.inventory.runner import inventory_run
    from apps.privacy.inventory.selectors import confirmed_documents, grouped
    from apps.privacy.requests.details import Details
    from tests.audit.inventorying import assessed, confirm_all
    from tests.factories import as_

    request = assessed(office, Details(names=(NAME,), requester_name=NAME, requester_email="qz@example.com"))
    with as_(office.dora):
        inventory = inventory_request(request.id)
    with steps.measured("inventory: finding the person in every text") as told:
        if inventory_run(tenant_id=office.firm.id, inventory_id=inventory.id) is not InventoryState.DONE:
            raise RuntimeError("the search did not come to its end")
        with as_(office.dora):
            told(sum(len(group.hits) for group in grouped(request)))
    with steps.measured("inventory: confirming each place") as told:
        confirm_all(office, request)
        with as_(office.dora):
            documents = confirmed_documents(request)
            for document in documents:
                document_treat(request.id, document, Treatment.REMOVE, seen=None)
        told(len(documents))
    return request


def _following(tenant: _Tenant, of: str) -> ErasureRequest:
    """A request whose subject says what goes: the document, or the tenant."""
    from apps.privacy.codes.requests import Ground, SubjectType
    from tests.deciding import assess, identity_confirm
    from tests.factories import as_

    office, about = tenant.office, SubjectType(of)
    subject = {"subject_id": tenant.document} if about is SubjectType.DOCUMENT else {}
    request = office.received(about=about, **subject)
    with as_(office.dora):
        identity_confirm(request.id)
        return assess(request.id, ground=Ground.CONTRACT_ENDED)


def _prove(access: Access) -> None:
    """What the process beside the eraser does when it looks, as that. Raises: RuntimeError: not all of it went."""
    from apps.erasure.proof.prover import prove_due

    went = prove_due(access, at_once=True, wait_s=30)
    if went.waiting:
        raise RuntimeError(f"the proof waits: {went}")


def _carried_out(office: Office, run: RemovalRun, steps: Steps) -> None:
    from apps.erasure.contracts import RunState
    from apps.erasure.models import RemovalStep
    from apps.erasure.runs.lease import EnginePolicy
    from apps.tenants.context import open_scope
    from tests.audit.acting import sealed
    from tests.audit.removing import carried_out

    with steps.measured("carrying out, with sealing") as told:
        for _ in range(60):
            state = carried_out(office.firm, run, EnginePolicy(wait_seconds=0.0, retry_seconds=0.0))
            if state is RunState.VERIFYING:
                break
            if state is not RunState.EXECUTING:
                raise RuntimeError(f"the run is {state}")
            sealed(office.firm)
        with open_scope(tenant=office.firm.id, reason="a benchmark"):
            rows = list(RemovalStep.objects.filter(run=run, removed__gt=0).order_by("ordinal"))
        told(sum(row.removed for row in rows))
    for row in rows:
        steps.known(row.store, (row.finished_at - row.started_at).total_seconds(), row.removed)


def _looked(office: Office, run: RemovalRun, steps: Steps) -> None:
    """The parts of the physical phase and the scan, as the run notes them."""
    from tests.audit.removing import again

    noted = again(office.firm, run).verification
    for step in noted["physical"]["steps"]:
        if step["elapsed_ms"] >= 50:
            steps.known(step["key"], step["elapsed_ms"] / 1_000)
    scan = noted["scan"]
    steps.known("residue scan, MB", scan["elapsed_ms"] / 1_000, round(scan["size_bytes"] / 1e6))


def _certified(office: Office, run: RemovalRun, steps: Steps) -> None:
    from apps.audit.verify.application import verify_tenant
    from apps.erasure.certificate.checking import holds
    from apps.erasure.certificate.selectors import checks_of
    from tests.audit.proving import issued
    from tests.audit.removing import again
    from tests.factories import as_

    # Of a run that failed there is none; the newest would be that of an earlier one, whose end a tenant's takes along.
    ended = again(office.firm, run)
    if not ended.end_events:
        raise RuntimeError(
            f"the run is {ended.state}: {ended.error_code} {ended.verification.get('scan', {}).get('hits')}"
        )
    with steps.measured("certificate: sealed, signed"):
        certificate = issued(office.firm)[-1]
    with steps.measured("certificate: checked"), as_(office.ada):
        checks = checks_of(certificate)
    with steps.measured("the log verified"):
        findings = verify_tenant(tenant=office.firm.id).findings
    if certificate.run_id != run.id or not holds(checks) or findings:
        raise RuntimeError(f"the certificate does not hold: {certificate.run_id} {run.id} {checks} {findings}")


if __name__ == "__main__":
    main()
