"""After the last removal: one physical phase for all runs that wait, and a scan for each."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from apps.erasure.contracts import Origin, RunState
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.proof import safe
from apps.erasure.proof.gathering import Gathered
from apps.erasure.proof.notes import note, waits
from apps.erasure.proof.preparing import tables_of, tables_that_are_cleared
from apps.erasure.registry import searched, stores
from apps.erasure.residue.access import Access
from apps.erasure.residue.distinctive import distinctive
from apps.erasure.residue.physical import PhysicalResult, physical_phase
from apps.erasure.residue.places import every_place
from apps.erasure.residue.plan import PhysicalPlan, plan_physical
from apps.erasure.residue.results import ScanResult
from apps.erasure.residue.scanning import scan_each
from apps.erasure.runs.lease import REASON
from apps.erasure.runs.runs import target_of
from apps.erasure.tombstones.gate import identity_of
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

INCOMPLETE: Final = "audit.proof_physical"
# Why a run that has been scanned waits for another scan.
AGAIN: Final = "audit.proof_again"
WRITTEN_SINCE: Final = "also in what others wrote since the preparation"


def plan_batch(runs: Sequence[RemovalRun], *, access: Access, tables: set[str]) -> None:
    """Let runs that wait share one physical phase: the same plan in each row, made after the last of their removals."""
    plan = plan_physical(tables_there(access, tables), access=access)
    told = planned_as_json(plan, access=access)
    note(access, runs, state=RunState.VERIFYING, batch=str(uuid.uuid4()), plan=told)


def planned_as_json(plan: PhysicalPlan, *, access: Access) -> dict[str, Any]:
    """With the database that it is of: a file of the same number in another one says nothing."""
    return {**plan.as_json(), "database": database_identity(access)}


def forget_other_databases(access: Access) -> None:
    """What was planned, done and found in another database is planned, done and looked for again in this one.

    A run that was being verified when its database was backed up comes back so: its plan names files of then, and what
    is not those would pass for written anew.
    """
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_removalrun SET verification = verification - '{batch,plan,physical,scan}'::text[] "
            "WHERE state = 'verifying' AND verification ? 'plan' "
            "AND verification #>> '{plan,database}' IS DISTINCT FROM %s",
            [database_identity(access)],
        )


def database_identity(access: Access) -> str:
    """Of this very database on this very server, as the gate tells it (backup/gate.py)."""
    with access.connect() as connection:
        row = connection.execute(
            "SELECT (SELECT system_identifier::text FROM pg_control_system()), d.oid::text, "
            "'public.audit_event'::regclass::oid::text, 'public.tenants_tenant'::regclass::oid::text "
            "FROM pg_database d WHERE d.datname = current_database()"
        ).fetchone()
    return identity_of(list(row or ()))


def tables_to_rewrite(run: RemovalRun) -> set[str]:
    """Those that rows were removed from, and those in which the control, or a scan that was not clean, found some.

    Of a request, also those whose rows people change by hand, as the inventory asks them to: the row as it was lies in
    the file until that is written anew, and no step of the run tells of it.
    """
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        touched = set(RemovalStep.objects.filter(run=run, removed__gt=0).values_list("store", flat=True))
    by_hand = {getattr(source, "changed_by_hand", "") for source in searched()} - {""}
    found = {table for store in stores() if store.key in touched for table in tables_of(store)}
    found |= by_hand if run.origin == Origin.REQUEST else set()
    return found | set(run.verification.get("tables", ()))


def forget(runs: Sequence[RemovalRun], *, access: Access, wait_s: float) -> bool:
    """Carry out the physical phase of one batch. Returns: whether all of it is done; if not, the rows say what is not.

    Can be repeated with what was done staying done, also after a kill: the server is asked.
    """
    plan = PhysicalPlan.from_json(runs[0].verification["plan"])
    result = physical_phase((), access=access, plan=plan, wait_s=wait_s)
    if result.complete:
        note(access, runs, state=RunState.VERIFYING, physical=physical_as_json(result, access=access))
        return True
    undone = [step.key for step in result.steps if not step.done]
    waits(access, runs, state=RunState.VERIFYING, code=INCOMPLETE, steps=undone)
    return False


def needles_of(run: RemovalRun, *, access: Access) -> Gathered:
    """What was prepared, but for what stays; in a second scan also without what others wrote since.

    Raises: NeedlesLostError.
    """
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        targets = list(RemovalTarget.objects.filter(run=run))
    stays = [target_of(each) for each in targets if each.outcome == TargetOutcome.RETAINED]
    found = safe.opened(access.home, tenant_id=run.tenant_id, run_id=run.id).without_targets(stays)
    if "again" not in run.verification:
        return found
    # By the same rule as at the preparation: a row that names what was removed is not one of others.
    gone = {each.id for each in map(target_of, targets)} - {each.id for each in stays}
    needles = distinctive(found.needles, access, gone=gone, tables=tables_that_are_cleared(), reason=WRITTEN_SINCE)
    return replace(found, needles=needles)


def look_for_all(several: Sequence[Gathered], *, access: Access) -> list[ScanResult]:
    """Scan for what was prepared of several runs, in one pass. Raises: what scan raises: half a scan is none."""
    return scan_each([each.needles for each in several], every_place(access))


def note_scan(run: RemovalRun, gathered: Gathered, result: ScanResult, *, access: Access) -> None:
    """Write down what a scan found; where a first one found something, let the disk forget and be scanned once more.

    On a busy server others may have written the same words since the preparation: into rows, and so into WAL.
    """
    tables = sorted({*run.verification.get("tables", ()), *result.tables()})
    if result.hits and "again" not in run.verification:
        done = ("batch", "plan", "physical")
        note(access, [run], state=RunState.VERIFYING, without=done, tables=tables, again=result.by_group())
        waits(access, [run], state=RunState.VERIFYING, code=AGAIN)
        return
    note(access, [run], state=RunState.VERIFYING, tables=tables, scan=scan_as_json(gathered, result))


def scan_as_json(gathered: Gathered, result: ScanResult) -> dict[str, Any]:
    told = result.as_json()
    return {
        "clean": not result.hits,
        "sources": result.sources,
        "patterns": result.needles,
        "by_encoding": gathered.by_encoding(),
        "left_out": dict(result.left_out),
        "explained": {"release": result.baseline, "occurrences": result.explained},
        "size_bytes": result.size_bytes,
        "elapsed_ms": round(result.elapsed_s * 1_000),
        "places": told["scanned"],
        "hits": told["hits"],
        "unreachable": told["unreachable"],
    }


def physical_as_json(result: PhysicalResult, *, access: Access) -> dict[str, Any]:
    told: dict[str, Any] = result.as_json()
    with access.connect() as connection:
        row = connection.execute("SELECT current_setting('server_version')").fetchone()
    return {
        "complete": told["complete"],
        "steps": [{"key": step["key"], "elapsed_ms": round(step["elapsed_s"] * 1_000)} for step in told["steps"]],
        "unreachable": told["unreachable"],
        "server": row[0] if row else "",
    }


def tables_there(access: Access, tables: set[str]) -> list[str]:
    """Of the names, those of tables of the application."""
    with access.connect() as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' "
            "AND relname = ANY (%s) ORDER BY 1",
            [sorted(tables)],
        ).fetchall()
    return [row[0] for row in rows]
