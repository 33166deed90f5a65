"""Before the first removal: what will be looked for, and that a scan finds it where it is now."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from django.conf import settings

from apps.audit.erasure.contracts import Origin, RunState, Target
from apps.audit.erasure.lease import REASON
from apps.audit.erasure.proof import safe
from apps.audit.erasure.proof.errors import ControlFailedError
from apps.audit.erasure.proof.gathering import NOT_THERE_BEFORE, Gathered, gather, texts_of
from apps.audit.erasure.proof.looked_for import given_texts
from apps.audit.erasure.proof.notes import note
from apps.audit.erasure.proof.of_the_log import accounts_that_go
from apps.audit.erasure.queue import enqueue
from apps.audit.erasure.registry import kept, stores
from apps.audit.erasure.runs import target_of
from apps.audit.models import RemovalRun, RemovalTarget
from apps.audit.residue.access import Access
from apps.audit.residue.control import control
from apps.audit.residue.distinctive import distinctive
from apps.audit.residue.places import every_place
from apps.audit.residue.results import ControlResult
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

_DIGEST_INFO: Final = "glassbox erasure needles"


def prepare(run: RemovalRun, *, access: Access) -> None:
    """Make needles of what is going to go, show that a scan finds every one of them, and let the eraser begin.

    What must stay now is not looked for, nor what the rest of the data hold too. Can be repeated: what an earlier
    attempt kept is overwritten.
    Raises: ControlFailedError: nothing is removed; besides what scan raises (residue/scanning.py).
    """
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        targets = sorted(target_of(row) for row in RemovalTarget.objects.filter(run=run))
        stay = sorted(kept(targets))
    going = sorted(set(targets) - set(stay))
    gathered = _gathered(run, going, stay, access=access)
    result = control(gathered.needles, every_place(access))
    missing = gathered.needles.looked_for() - result.scan.found
    # A name that somebody gave may be spelt otherwise everywhere. What was read from a row must be there.
    gathered = _replaced(gathered, gathered.needles.without(missing & gathered.given, reason=NOT_THERE_BEFORE))
    missing -= gathered.given
    if missing or not result.planted or not all(planted.found for planted in result.planted):
        counts = Counter(gathered.needles.sources[source].value for source in missing)
        raise ControlFailedError(
            run=run.id, missing=", ".join(f"{count} {sort}" for sort, count in sorted(counts.items())) or "planted"
        )
    safe.keep(access.home, gathered, tenant_id=run.tenant_id, run_id=run.id)
    note(
        access,
        [run],
        state=RunState.APPROVED,
        prepared=True,
        control=_told(gathered, result),
        needles=_needles(run, gathered, targets=len(going)),
        tables=sorted(result.scan.tables()),
    )
    enqueue(run)


def tables_that_are_cleared() -> frozenset[str]:
    """Those from which stores remove: a row there that names a target goes with it."""
    return frozenset(table for store in stores() for table in tables_of(store))


def tables_of(store: object) -> tuple[str, ...]:
    """The tables of a store, as far as it has any (rows.Rows names one)."""
    several: tuple[str, ...] | None = getattr(store, "tables", None)
    one: str = getattr(store, "table", "")
    return several if several is not None else (one,) if one else ()


def _gathered(run: RemovalRun, going: list[Target], stay: list[Target], *, access: Access) -> Gathered:
    with access.connect() as connection:
        given = given_texts(connection, origin=Origin(run.origin), tenant_id=run.tenant_id, origin_id=run.origin_id)
        gathered = gather(connection, tenant_id=run.tenant_id, targets=going, given=given)
        gathered = gathered.without_texts(texts_of(connection, tenant_id=run.tenant_id, targets=stay))
        gone = accounts_that_go(connection, tenant_id=run.tenant_id, targets=going)
    gone |= {target.id for target in going}
    return _replaced(gathered, distinctive(gathered.needles, access, gone=gone, tables=tables_that_are_cleared()))


def _replaced(gathered: Gathered, needles: Any) -> Gathered:
    return Gathered(needles=needles, targets=gathered.targets, of=gathered.of)


def _needles(run: RemovalRun, gathered: Gathered, *, targets: int) -> dict[str, Any]:
    """Numbers, and a keyed digest that tells that the scan looked for the same."""
    key = settings.GLASSBOX_AUDIT_KEY + f"{_DIGEST_INFO} {run.tenant_id}".encode()
    return {
        "digest": gathered.needles.digest(key),
        "sources": len(gathered.needles.looked_for()),
        "patterns": len(gathered.needles.needles),
        "by_sort": gathered.by_sort(),
        "by_encoding": gathered.by_encoding(),
        "left_out": dict(gathered.needles.left_out),
        "targets": targets,
        "targets_sampled": len(gathered.targets),
    }


def _told(gathered: Gathered, result: ControlResult) -> dict[str, Any]:
    return {
        "proves": True,
        "sources": len(gathered.needles.looked_for()),
        "found": len(gathered.needles.looked_for() & result.scan.found),
        "planted": len(result.planted),
        "planted_found": sum(planted.found for planted in result.planted),
        "by_group": result.scan.by_group(),
        "by_encoding": result.scan.by_encoding(),
    }
