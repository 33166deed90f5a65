"""Writing tombstones: before a run removes anything, and when it has ended.

    1. In one transaction, under a lock: an event, the tombstone outside (synced to the disk), and the database's mark
       that it has this tombstone.
    2. After the commit, outside: that the tombstone is confirmed.
    3. Only then may anything be removed.

So a tombstone that is confirmed and that the database has no mark of tells of a database that was put back. What broke
off before step 2 removed nothing, and is done again with the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from django.db import connection
from django.utils import timezone

from apps.audit.log.sealed_records import written
from apps.audit.log.tombstone_place import tombstone_place
from apps.audit.services import record
from apps.erasure.contracts import DigestKind, Origin, Target
from apps.erasure.models import RemovalRun, TombstoneMark
from apps.erasure.registry import values_to_digest
from apps.erasure.tombstones.chain import chain_end, tombstones
from apps.erasure.tombstones.record import Kind, Tombstone, keyed_digest
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

WRITTEN: Final = "audit.tombstone.written"
REPLAYED: Final = "replayed"
_REASON: Final = "keep removed data from coming back"


def tombstone_write(
    *, tenant_id: TenantId, run_id: UUID, origin: Origin, reason_code: str, targets: Sequence[Target]
) -> None:
    """Keep a tombstone of what a run will remove, each time that it is taken up. Without an open transaction.

    Can be repeated: what the run's tombstones name already is not written again.

    Raises: TombstonesUnavailableError, TombstonesDamagedError: nothing may be removed.
    Costs:  one file, three queries more than the event's; reads the tombstones that there are.
    """
    _write(Kind.BEGUN, tenant_id, run_id, origin, reason_code, frozenset(targets))


def tombstone_close(
    *, tenant_id: TenantId, run_id: UUID, origin: Origin, reason_code: str, targets: Sequence[Target]
) -> None:
    """Keep that a run has ended, and what it left. Without an open transaction. Can be repeated.

    Args: targets: what the run was to remove and had to leave.
    """
    _write(Kind.ENDED, tenant_id, run_id, origin, reason_code, frozenset(targets))


def _write(
    kind: Kind, tenant_id: TenantId, run_id: UUID, origin: Origin, reason_code: str, targets: frozenset[Target]
) -> None:
    place = tombstone_place()
    with open_scope(tenant=tenant_id, reason=_REASON):
        _lock()
        own = [each for each in tombstones(place) if each.run_id == run_id and each.tenant_id == tenant_id]
        wanted = _missing(kind, own, targets)
        number, previous = chain_end()
        if wanted is not None:
            number += 1
            event = record(
                action=WRITTEN,
                core={"number": number, "kind": str(kind), "run_id": str(run_id), "targets": len(wanted)},
                subject_type="removal_run",
                subject_id=run_id,
            )
            made = Tombstone(
                number=number,
                kind=kind,
                tenant_id=tenant_id,
                run_id=run_id,
                origin=origin,
                reason_code=reason_code,
                event_id=event.id,
                targets=tuple(sorted(wanted)),
                digests=_digests(sorted(wanted), tenant_id) if kind is Kind.BEGUN else (),
                at=timezone.now(),
                previous=previous,
                origin_id=RemovalRun.objects.filter(id=run_id).values_list("origin_id", flat=True).first(),
            )
            place.add(number, written(made.body()))
            own.append(made)
        marked = set(
            TombstoneMark.objects.filter(number__in=[each.number for each in own]).values_list("number", flat=True)
        )
        for each in own:
            if each.number not in marked:
                TombstoneMark.objects.create(tenant_id=tenant_id, number=each.number, kind=each.kind)
    if own:
        place.confirm(own[-1].number)


def _digests(targets: Sequence[Target], tenant_id: TenantId) -> tuple[tuple[DigestKind, str], ...]:
    return tuple(
        sorted((kind, keyed_digest(kind, value, tenant=tenant_id)) for kind, value in values_to_digest(targets))
    )


def _missing(kind: Kind, own: Sequence[Tombstone], targets: frozenset[Target]) -> frozenset[Target] | None:
    """What a new tombstone must name; None where those that there are say it all."""
    if kind is Kind.BEGUN:
        named = {target for each in own if each.kind is Kind.BEGUN for target in each.targets}
        after_end = bool(own) and own[-1].kind is Kind.ENDED
        # What stayed and goes now was named before, and then named as what stayed.
        new = targets - named if not after_end else targets - (named - frozenset(own[-1].targets))
        return frozenset(new) or None
    last = own[-1] if own else None
    is_said = last is None or (last.kind is Kind.ENDED and frozenset(last.targets) == targets)
    return None if is_said else targets


def _lock() -> None:
    """One writer at a time, until the transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("tombstones")])
