"""Record what a restore brought back before it is removed again, and state in the log when it is gone.

What came back is read once more while that is possible: search patterns (needles) are made of it and sealed, and a
control shows that a scan finds them, as before any removal (erasure/proof/preparing.py). Only then is the row written,
and only then is anything removed. A replay that is killed before that makes them again; one that is killed later finds
the row and the needles. If they can't be made (no access as the server's administrator, or the control fails), the
removal is repeated nevertheless, and the row says why it can't be proven: an erasure must not wait for its proof.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID, uuid5

from django.utils import timezone
from psycopg.types.json import Jsonb

from apps.erasure.certificate import manifest
from apps.erasure.certificate.document import MOST_LISTED
from apps.erasure.models import Restoration, RestorationState
from apps.erasure.proof import safe
from apps.erasure.proof.errors import ControlFailedError
from apps.erasure.proof.gathering import Gathered
from apps.erasure.proof.preparing import controlled, gathered_of, prepared_as_json
from apps.erasure.proof.restorations import folder_of, state_restoration
from apps.erasure.residue.access import Access
from apps.erasure.residue.control import control_each
from apps.erasure.residue.places import every_place
from apps.errors import ApplicationError
from apps.operations.backup.repeating import as_owner
from apps.operations.backup.returned import ErasedRun, Returned
from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.audit")

NO_ADMINISTRATOR: Final = "no_administrator"
CONTROL: Final = "control"
NOT_PREPARED: Final = "not_prepared"
HELD: Final = "held"
_REASON: Final = "write down what a restore brought back"
_AT_ONCE: Final = 20
_COLUMNS: Final = (
    "id, tenant_id, restore_id, ordinal, backup_id, backup_made_at, through, state, runs, came_back, targets, leaves, "
    "manifest, error_code, prepared_at, verification, end_events"
)
_INSERT: Final = f"INSERT INTO audit_restoration ({_COLUMNS}) VALUES ({', '.join(['%s'] * 17)})"  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """The backup that was restored; both fields are None if it is unknown."""

    id: UUID | None = None
    made_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """Either needles and their description, or why there are none."""

    gathered: Gathered | None = None
    told: Mapping[str, Any] | None = None
    problem: str = ""


def restorations_open(
    several: Sequence[Returned],
    *,
    restore_id: UUID,
    through: int,
    backup: Backup,
    was_closed: bool,
    access: Access | None,
    database: str,
) -> None:
    """Record what came back for each tenant, before any of it is removed.

    Args: was_closed: whether the database could not be served. For an open one, only what came back is recorded.
          access: to the database; None: nothing can be proven, and the rows say so.
    """
    for start in range(0, len(several), _AT_ONCE):
        new = []
        for each in several[start : start + _AT_ONCE]:
            ordinal = _next(each, restore_id, was_closed=was_closed, database=database)
            if ordinal is not None:
                new.append((each, ordinal))
        prepared = _prepare([each for each, _ in new if each.stores], restore_id, access)
        for each, ordinal in new:
            found = prepared.get(each.tenant_id, _Prepared())
            id = uuid5(restore_id, f"{each.tenant_id}:{ordinal}")
            if access is not None and found.gathered is not None:
                found = _keep_needles(found, found.gathered, access, tenant_id=each.tenant_id, id=id)
            values = _values(each, found, id=id, restore_id=restore_id, ordinal=ordinal, through=through, backup=backup)
            if access is not None:
                with access.connect() as connection:
                    connection.execute(_INSERT.encode(), values)
            else:
                with as_owner(each.tenant_id, database, _REASON) as cursor:
                    cursor.execute(_INSERT, values)


def restorations_end() -> None:
    """State, in the open transaction of the open tenant, that what came back is gone from every store again."""
    for row in Restoration.objects.select_for_update(no_key=True).filter(state=RestorationState.REMOVING):
        row.state, row.removed_at = RestorationState.AWAITING, timezone.now()
        if not row.came_back:
            kept = any(run["kept"] for run in row.runs)
            row.state = RestorationState.UNPROVEN if kept else RestorationState.UNTOUCHED
            row.error_code = HELD if kept else ""
        state_restoration(row, fields=("removed_at",))


def _next(each: Returned, restore_id: UUID, *, was_closed: bool, database: str) -> int | None:
    """Return the ordinal of the row to make, or None if there is none to make."""
    if not each.work.targets:
        return None
    with as_owner(each.tenant_id, database, _REASON):
        rows = list(Restoration.objects.filter(restore_id=restore_id))
    if any(row.state == RestorationState.REMOVING for row in rows):
        return None  # a replay that was killed made it already
    return len(rows) if each.stores or (was_closed and not rows) else None


def _keep_needles(found: _Prepared, gathered: Gathered, access: Access, *, tenant_id: TenantId, id: UUID) -> _Prepared:
    try:
        safe.keep(folder_of(access), gathered, tenant_id=tenant_id, run_id=id)
    except (OSError, ApplicationError) as error:
        logger.error("what is to be looked for after a restore can't be kept: %s", type(error).__name__)  # noqa: TRY400
        return _Prepared(problem=NOT_PREPARED)
    return found


def _prepare(several: Sequence[Returned], restore_id: UUID, access: Access | None) -> dict[TenantId, _Prepared]:
    if access is None:
        return {each.tenant_id: _Prepared(problem=NO_ADMINISTRATOR) for each in several}
    try:
        return _prove_present(several, restore_id, access) if several else {}
    except Exception as error:  # noqa: BLE001 - whatever reading the disk raises, what was erased is removed again
        # Do not log the message: a database's message may quote a row.
        logger.error("what a restore brought back can't be proven gone: %s", type(error).__name__)  # noqa: TRY400
        return {each.tenant_id: _Prepared(problem=NOT_PREPARED) for each in several}


def _prove_present(several: Sequence[Returned], restore_id: UUID, access: Access) -> dict[TenantId, _Prepared]:
    found_of = [
        gathered_of(
            each.tenant_id,
            going=each.going,
            stay=sorted(each.held),
            origins=[(run.origin, run.origin_id) for run in each.work.runs if run.origin_id and _is_back(each, run)],
            access=access,
        )
        for each in several
    ]
    results = control_each([each.gathered.needles for each in found_of], every_place(access))
    found = {}
    for each, one, result in zip(several, found_of, results, strict=True):
        try:
            ready = controlled(one.gathered, result, run_id=restore_id)
        except ControlFailedError:
            found[each.tenant_id] = _Prepared(problem=CONTROL)
            continue
        if not ready.needles.looked_for():
            found[each.tenant_id] = _Prepared(problem=CONTROL)
            continue
        told = prepared_as_json(ready, result, tenant_id=each.tenant_id, targets=len(each.going), standing=one.standing)
        found[each.tenant_id] = _Prepared(gathered=ready, told=told)
    return found


def _is_back(each: Returned, run: ErasedRun) -> bool:
    return run.run_id in each.by_run


def _values(
    each: Returned,
    found: _Prepared,
    *,
    id: UUID,
    restore_id: UUID,
    ordinal: int,
    through: int,
    backup: Backup,
) -> list[Any]:
    leaves = manifest.leaves_of(each.work.targets)
    runs = [
        {
            "run": str(run.run_id),
            "origin": str(run.origin),
            "origin_id": None if run.origin_id is None else str(run.origin_id),
            "reason": next(iter(run.targets.values())),
            "erased": f"{run.at:%Y-%m-%d}",
            "targets": len(run.targets),
            "came_back": each.by_run[run.run_id].total() if run.run_id in each.by_run else 0,
            "kept": len(each.held & run.targets.keys()),
        }
        for run in each.work.runs
        if run.targets
    ]
    return [
        id,
        each.tenant_id,
        restore_id,
        ordinal,
        backup.id,
        backup.made_at,
        through,
        RestorationState.REMOVING.value,
        Jsonb(runs),
        Jsonb(dict(each.stores)),
        len(leaves),
        [leaf.hex() for leaf in leaves] if len(leaves) <= MOST_LISTED else [],
        manifest.root(leaves),
        found.problem,
        timezone.now() if found.gathered is not None else None,
        Jsonb(dict(found.told or {})),
        [],
    ]
