"""Before the first removal: what will be looked for, and that a scan finds it where it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.conf import settings

from apps.erasure.contracts import Origin, RunState, Target
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.proof import safe
from apps.erasure.proof.errors import ControlFailedError
from apps.erasure.proof.gathering import NOT_THERE_BEFORE, Gathered, gather, texts_of
from apps.erasure.proof.notes import note
from apps.erasure.proof.of_the_log import accounts_that_go
from apps.erasure.proof.standing import standing_as_json
from apps.erasure.registry import given_texts, kept, stores
from apps.erasure.residue.access import Access
from apps.erasure.residue.control import control_each
from apps.erasure.residue.distinctive import distinctive_and_standing
from apps.erasure.residue.places import every_place
from apps.erasure.residue.results import ControlResult
from apps.erasure.runs.lease import REASON
from apps.erasure.runs.runs import target_of
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import enqueue
from config.secrets import given

_DIGEST_INFO: Final = "glassbox erasure needles"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sought:
    """A run whose needles are made, and nothing of them shown yet. going: how many targets they are of."""

    run: RemovalRun
    gathered: Gathered
    standing: list[dict[str, Any]]
    going: int


def seek(run: RemovalRun, *, access: Access) -> Sought:
    """Make needles of what is going to go. What must stay now is not looked for, nor what the rest of the data hold."""
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        targets = sorted(target_of(row) for row in RemovalTarget.objects.filter(run=run))
        stay = sorted(kept(targets))
    going = sorted(set(targets) - set(stay))
    origins = [(Origin(run.origin), run.origin_id)]
    found = gathered_of(run.tenant_id, going=going, stay=stay, origins=origins, access=access)
    return Sought(run=run, gathered=found.gathered, standing=found.standing, going=len(going))


def control_all(sought: Sequence[Sought], *, access: Access) -> list[ControlResult]:
    """Look for all of it where it is now, of all runs in one pass. Raises: what scan raises (residue/scanning.py)."""
    return control_each([each.gathered.needles for each in sought], every_place(access))


def let_begin(sought: Sought, result: ControlResult, *, access: Access) -> None:
    """Show that a scan finds every one of a run's needles, and let the eraser begin.

    Can be repeated: what an earlier attempt kept is overwritten. Raises: ControlFailedError: nothing is removed.
    """
    run = sought.run
    gathered = controlled(sought.gathered, result, run_id=run.id)
    safe.keep(access.home, gathered, tenant_id=run.tenant_id, run_id=run.id)
    told = prepared_as_json(gathered, result, tenant_id=run.tenant_id, targets=sought.going, standing=sought.standing)
    note(access, [run], state=RunState.APPROVED, prepared=True, **told)
    enqueue(run)


def controlled(gathered: Gathered, result: ControlResult, *, run_id: UUID) -> Gathered:
    """What the control shows that a scan finds. Raises: ControlFailedError: it misses something that is there."""
    missing = gathered.needles.looked_for() - result.scan.found
    # A name that somebody gave may be spelt otherwise everywhere. What was read from a row must be there.
    gathered = _replaced(gathered, gathered.needles.without(missing & gathered.given, reason=NOT_THERE_BEFORE))
    missing -= gathered.given
    if missing or not result.planted or not all(planted.found for planted in result.planted):
        counts = Counter(gathered.needles.sources[source].value for source in missing)
        raise ControlFailedError(
            run=run_id, missing=", ".join(f"{count} {sort}" for sort, count in sorted(counts.items())) or "planted"
        )
    return gathered


def prepared_as_json(
    gathered: Gathered,
    result: ControlResult,
    *,
    tenant_id: UUID,
    targets: int,
    standing: list[dict[str, Any]],
) -> dict[str, Any]:
    """What is written down of needles and control: numbers, and names of tables."""
    return {
        "control": _told(gathered, result),
        "needles": _needles(tenant_id, gathered, targets=targets),
        "standing": standing,
        "tables": sorted(result.scan.tables()),
    }


def tables_that_are_cleared() -> frozenset[str]:
    """Those from which stores remove: a row there that names a target goes with it."""
    return frozenset(table for store in stores() for table in tables_of(store))


def tables_of(store: object) -> tuple[str, ...]:
    """The tables of a store, as far as it has any (rows.Rows names one)."""
    several: tuple[str, ...] | None = getattr(store, "tables", None)
    one: str = getattr(store, "table", "")
    return several if several is not None else (one,) if one else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Needles of what is going to go; and the names of which nothing can be looked for, with their places."""

    gathered: Gathered
    standing: list[dict[str, Any]]


def gathered_of(
    tenant_id: UUID,
    *,
    going: Sequence[Target],
    stay: Sequence[Target],
    origins: Sequence[tuple[Origin, UUID]],
    access: Access,
) -> Found:
    """Needles of what is going to go, without what the rest of the data hold.

    Args: stay: what must stay now. origins: what the removal was proposed for: what somebody gave with it.
    """
    with access.connect() as connection:
        given = [
            text
            for origin, id in origins
            for text in given_texts(connection, origin=origin, tenant_id=tenant_id, origin_id=id)
        ]
        gathered = gather(connection, tenant_id=tenant_id, targets=going, given=list(dict.fromkeys(given)))
        stays = texts_of(connection, tenant_id=tenant_id, targets=stay)
        gone = accounts_that_go(connection, tenant_id=tenant_id, targets=going) | {target.id for target in going}
        needles, standing = distinctive_and_standing(
            gathered.needles, access, gone=gone, tables=tables_that_are_cleared(), names=gathered.names.keys()
        )
        told = standing_as_json(connection, gathered, standing, tenant_id=tenant_id, origins=origins, stay=stay)
    return Found(gathered=_replaced(gathered, needles).without_texts(stays), standing=told)


def _replaced(gathered: Gathered, needles: Any) -> Gathered:
    return Gathered(needles=needles, targets=gathered.targets, of=gathered.of)


def _needles(tenant_id: UUID, gathered: Gathered, *, targets: int) -> dict[str, Any]:
    """Numbers, and a keyed digest that tells that the scan looked for the same."""
    key = given(settings.GLASSBOX_AUDIT_KEY, "GLASSBOX_AUDIT_MASTER_KEY") + f"{_DIGEST_INFO} {tenant_id}".encode()
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
