"""After a restore: the disk made to forget what was removed again, and looked through; as after a run's last removal.

One physical phase and one scan for all tenants, of what the replay wrote down (backup/restorations.py). Of what was not
prepared, tables are written anew all the same, and it ends unproven: nobody can say what to look for. Killed anywhere,
the next one goes on: what is done stands in the row, and the server is asked.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils import timezone
from psycopg.types.json import Jsonb

from apps.erasure.models import Restoration, RestorationState
from apps.erasure.proof import safe
from apps.erasure.proof.disk import (
    INCOMPLETE,
    database_identity,
    physical_as_json,
    planned_as_json,
    scan_as_json,
    tables_there,
)
from apps.erasure.proof.ending import RESIDUE
from apps.erasure.proof.errors import NeedlesLostError
from apps.erasure.proof.gathering import Gathered
from apps.erasure.proof.preparing import tables_of
from apps.erasure.proof.restorations import folder_of, state_restoration
from apps.erasure.registry import stores
from apps.erasure.residue.access import Access
from apps.erasure.residue.physical import physical_phase
from apps.erasure.residue.places import every_place
from apps.erasure.residue.plan import PhysicalPlan, plan_physical
from apps.erasure.residue.scanning import scan_each
from apps.erasure.runs.lease import REASON
from apps.erasure.runs.queue import enqueue_certificates
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

_FOUND: Final = ["batch", "plan", "physical", "scan", "waits"]
_OPEN: Final = [RestorationState.REMOVING, RestorationState.AWAITING, RestorationState.FAILED]


def restorations_wait() -> bool:
    """Whether one waits for the disk. Costs: one query, as glassbox_eraser."""
    with open_identity(Identity(all_tenants=True)):
        return bool(Restoration.objects.filter(state=RestorationState.AWAITING).exists())


def prove_restorations(access: Access, *, wait_s: float) -> dict[RestorationState, int]:
    """Prove what waits, as far as it goes now. Returns: how many ended, by state; AWAITING: those that wait still.

    Raises: psycopg.OperationalError, and what a scan raises: it goes on from there the next time.
    """
    _plan(access)
    rows = _rows(access)
    if not rows:
        return {}
    plan = rows[0].verification["plan"]
    if not all("physical" in row.verification for row in rows):
        result = physical_phase((), access=access, plan=PhysicalPlan.from_json(plan), wait_s=wait_s)
        if not result.complete:
            undone = [step.key for step in result.steps if not step.done]
            _note(access, rows, waits={"code": INCOMPLETE, "steps": undone})
            return {RestorationState.AWAITING: len(rows)}
        _note(access, rows, physical=physical_as_json(result, access=access))
    _look(access, _rows(access))
    ended: dict[RestorationState, int] = {}
    for row in _rows(access):
        state = _end(access, row)
        ended[state] = ended.get(state, 0) + 1
    return ended


def look_again(access: Access) -> None:
    """Let what failed be looked at anew, all of it: somebody has cleared what was found."""
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_restoration SET state = 'awaiting', error_code = '', "
            "verification = verification - %s::text[] WHERE state = 'failed'",
            [_FOUND],
        )


def is_needed(tenant_id: TenantId, id: object) -> bool:
    """Whether needles of this id belong to a restoration that is not proven yet."""
    with open_scope(tenant=tenant_id, reason=REASON):
        return bool(Restoration.objects.filter(id=id, state__in=_OPEN).exists())


def _plan(access: Access) -> None:
    """One plan for all that wait, unless all of them have it already; one of another database is none."""
    rows = _rows(access)
    identity = database_identity(access)
    plans = [row.verification.get("plan") for row in rows]
    if not rows or (plans[0] and plans[0]["database"] == identity and all(plan == plans[0] for plan in plans)):
        return
    plan = plan_physical(tables_there(access, _tables(rows)), access=access)
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_restoration SET verification = (verification - %s::text[]) || %s "
            "WHERE id = ANY (%s) AND state = 'awaiting'",
            [_FOUND, Jsonb({"plan": planned_as_json(plan, access=access)}), [row.id for row in rows]],
        )


def _tables(rows: Sequence[Restoration]) -> set[str]:
    """Those that were removed from, and those in which the control, or a scan that was not clean, found some."""
    touched = {key for row in rows for key in row.came_back}
    found = {table for store in stores() if store.key in touched for table in tables_of(store)}
    return found | {table for row in rows for table in row.verification.get("tables", ())}


def _look(access: Access, rows: Sequence[Restoration]) -> None:
    waiting = [row for row in rows if row.prepared_at is not None and "scan" not in row.verification]
    found = [(row, gathered) for row in waiting if (gathered := _needles(access, row)) is not None]
    if not found:
        return
    results = scan_each([gathered.needles for _, gathered in found], every_place(access))
    for (row, gathered), result in zip(found, results, strict=True):
        tables = sorted({*row.verification.get("tables", ()), *result.tables()})
        _note(access, [row], tables=tables, scan=scan_as_json(gathered, result))


def _needles(access: Access, row: Restoration) -> Gathered | None:
    try:
        return safe.opened(folder_of(access), tenant_id=row.tenant_id, run_id=row.id)
    except NeedlesLostError:
        logger.error("what was to be looked for after restore %s is lost", row.restore_id)  # noqa: TRY400
        return None


def _end(access: Access, row: Restoration) -> RestorationState:
    with open_scope(tenant=TenantId(row.tenant_id), reason=REASON):
        found = Restoration.objects.select_for_update(no_key=True).get(id=row.id)
        scan = found.verification.get("scan")
        if scan is None:
            found.state = RestorationState.UNPROVEN
            found.error_code = found.error_code or NeedlesLostError.code
        elif scan["clean"]:
            found.state, found.error_code = RestorationState.PROVED, ""
        else:
            found.state, found.error_code = RestorationState.FAILED, RESIDUE
        found.ended_at = timezone.now()
        state_restoration(found, fields=("ended_at",))
        enqueue_certificates(TenantId(row.tenant_id))
    state = RestorationState(found.state)
    if state is not RestorationState.FAILED:
        safe.destroy(folder_of(access), tenant_id=row.tenant_id, run_id=row.id)
    return state


def _rows(access: Access) -> list[Restoration]:
    """All that wait, of all tenants."""
    with access.connect() as connection:
        named = connection.execute(
            "SELECT tenant_id, id FROM audit_restoration WHERE state = 'awaiting' ORDER BY restored_at, id"
        ).fetchall()
    rows: list[Restoration] = []
    for tenant_id in dict.fromkeys(tenant_id for tenant_id, _ in named):
        with open_scope(tenant=TenantId(tenant_id), reason=REASON):
            rows += Restoration.objects.filter(id__in=[id for tenant, id in named if tenant == tenant_id])
    return rows


def _note(access: Access, rows: Sequence[Restoration], **found: Mapping[str, Any] | list[str]) -> None:
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_restoration SET verification = (verification - 'waits') || %s "
            "WHERE id = ANY (%s) AND state = 'awaiting'",
            [Jsonb(found), [row.id for row in rows]],
        )
