"""After the last removal: one physical phase for all runs that wait, and a scan for each."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Final

from apps.audit.erasure.contracts import RunState
from apps.audit.erasure.lease import REASON
from apps.audit.erasure.proof import safe
from apps.audit.erasure.proof.notes import note, waits
from apps.audit.erasure.proof.preparing import tables_of
from apps.audit.erasure.registry import stores
from apps.audit.erasure.runs import target_of
from apps.audit.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.audit.residue.access import Access
from apps.audit.residue.physical import physical_phase
from apps.audit.residue.places import every_place
from apps.audit.residue.plan import PhysicalPlan, plan_physical
from apps.audit.residue.scanning import scan
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

INCOMPLETE: Final = "audit.proof_physical"


def plan_batch(runs: Sequence[RemovalRun], *, access: Access, tables: set[str]) -> None:
    """Let runs that wait share one physical phase: the same plan in each row, made after the last of their removals."""
    plan = plan_physical(_there(access, tables), access=access)
    note(access, runs, state=RunState.VERIFYING, batch=str(uuid.uuid4()), plan=plan.as_json())


def tables_to_rewrite(run: RemovalRun) -> set[str]:
    """Those that rows were removed from, and those in which the control, or a scan that was not clean, found some."""
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        touched = set(RemovalStep.objects.filter(run=run, removed__gt=0).values_list("store", flat=True))
    return set(run.verification.get("tables", ())) | {
        table for store in stores() if store.key in touched for table in tables_of(store)
    }


def forget(runs: Sequence[RemovalRun], *, access: Access, wait_s: float) -> bool:
    """Carry out the physical phase of one batch. Returns: whether all of it is done; if not, the rows say what is not.

    Can be repeated with what was done staying done, also after a kill: the server is asked.
    """
    plan = PhysicalPlan.from_json(runs[0].verification["plan"])
    result = physical_phase((), access=access, plan=plan, wait_s=wait_s)
    if result.complete:
        note(access, runs, state=RunState.VERIFYING, physical=_physical(result.as_json(), access=access))
        return True
    undone = [step.key for step in result.steps if not step.done]
    waits(access, runs, state=RunState.VERIFYING, code=INCOMPLETE, steps=undone)
    return False


def look(run: RemovalRun, *, access: Access) -> bool:
    """Scan for what was prepared, but for what stays. Returns: whether nothing was found.

    Raises: NeedlesLostError, and what scan raises: half a scan is none.
    """
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        stays = [target_of(each) for each in RemovalTarget.objects.filter(run=run, outcome=TargetOutcome.RETAINED)]
    gathered = safe.opened(access.home, tenant_id=run.tenant_id, run_id=run.id).without_targets(stays)
    places = every_place(access)
    result = scan(gathered.needles, places)
    told = result.as_json()
    clean = not result.hits
    tables = sorted({*run.verification.get("tables", ()), *result.tables()})
    note(
        access,
        [run],
        state=RunState.VERIFYING,
        tables=tables,
        scan={
            "clean": clean,
            "sources": result.sources,
            "patterns": result.needles,
            "by_encoding": gathered.by_encoding(),
            "left_out": dict(result.left_out),
            "size_bytes": result.size_bytes,
            "elapsed_ms": round(result.elapsed_s * 1_000),
            "places": told["scanned"],
            "hits": told["hits"],
            "unreachable": told["unreachable"],
        },
    )
    return clean


def _physical(told: dict[str, Any], *, access: Access) -> dict[str, Any]:
    with access.connect() as connection:
        row = connection.execute("SELECT current_setting('server_version')").fetchone()
    return {
        "complete": told["complete"],
        "steps": [{"key": step["key"], "elapsed_ms": round(step["elapsed_s"] * 1_000)} for step in told["steps"]],
        "unreachable": told["unreachable"],
        "server": row[0] if row else "",
    }


def _there(access: Access, tables: set[str]) -> list[str]:
    """Of the names, those of tables of the application."""
    with access.connect() as connection:
        rows = connection.execute(
            "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' "
            "AND relname = ANY (%s) ORDER BY 1",
            [sorted(tables)],
        ).fetchall()
    return [row[0] for row in rows]
