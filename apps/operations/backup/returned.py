"""Which erased items a restore brought back, run by run, as the stores count them before they are removed again."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.erasure.contracts import Origin, Target
from apps.erasure.registry import kept, stores
from apps.erasure.tombstones.record import Kind, Tombstone
from apps.operations.backup.acting import WORKER, acting_as
from apps.operations.backup.repeating import as_owner
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

_HOLD = "hold:"
_REASON = "say what a restore brought back"


@dataclass(slots=True, kw_only=True)
class ErasedRun:
    """What one run erased, according to its tombstones. targets: each with its reason. at: of the last tombstone."""

    run_id: UUID
    origin: Origin
    origin_id: UUID | None
    at: datetime
    targets: dict[Target, str]
    has_ended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What the tombstones say of one tenant, by run, in the order of the runs' first tombstones."""

    runs: tuple[ErasedRun, ...]

    @property
    def targets(self) -> Mapping[Target, str]:
        return {target: reason for run in self.runs for target, reason in run.targets.items()}

    @property
    def strict(self) -> frozenset[Target]:
        """Return the targets of runs that had ended: nothing may be left of them."""
        return frozenset(target for run in self.runs if run.has_ended for target in run.targets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What a restore brought back for one tenant.

    held: the targets that a hold of the restored database keeps. by_run: what is present, by store, only for runs of
    which something is present. stores: the same for all runs together, without counting anything twice.
    """

    tenant_id: TenantId
    work: Work
    held: frozenset[Target]
    by_run: Mapping[UUID, Counter[str]]
    stores: Mapping[str, int]

    @property
    def going(self) -> list[Target]:
        """Return what is removed again, of the runs of which something is present."""
        back = {target for run in self.work.runs if run.run_id in self.by_run for target in run.targets}
        return sorted(back - self.held)


def work_of(known: Iterable[Tombstone]) -> dict[TenantId, Work]:
    """Return the work by tenant, for tenants with tombstones."""
    runs: dict[TenantId, dict[UUID, ErasedRun]] = defaultdict(dict)
    for each in known:
        run = runs[each.tenant_id].setdefault(
            each.run_id,
            ErasedRun(run_id=each.run_id, origin=each.origin, origin_id=each.origin_id, at=each.at, targets={}),
        )
        run.at, run.has_ended = each.at, each.kind is Kind.ENDED
        for target in each.targets:
            if each.kind is Kind.BEGUN:
                run.targets[target] = each.reason_code
            else:
                # The target stayed, for example under a hold: what was not removed then is not removed now.
                run.targets.pop(target, None)
    return {tenant_id: Work(runs=tuple(found.values())) for tenant_id, found in runs.items()}


def returned_of(tenant_id: TenantId, work: Work, *, database: str) -> Returned:
    """Return what came back for a tenant.

    Costs: if nothing came back, a query or two for each store; else as many for each run of which something did, and a
           few times more to find these runs.
    """
    with acting_as(WORKER, database=database), open_scope(tenant=tenant_id, reason=_REASON):
        held = frozenset(target for target, ground in kept(sorted(work.targets)).items() if ground.startswith(_HOLD))
    runs = [(run.run_id, sorted(run.targets.keys() - held)) for run in work.runs]
    with as_owner(tenant_id, database, _REASON):
        everything = _count([target for _, targets in runs for target in targets])
        by_run = _count_by_run(runs) if everything else {}
    return Returned(tenant_id=tenant_id, work=work, held=held, by_run=by_run, stores=everything)


def _count_by_run(runs: Sequence[tuple[UUID, list[Target]]]) -> dict[UUID, Counter[str]]:
    found = _count([target for _, targets in runs for target in targets])
    if not found:
        return {}
    if len(runs) == 1:
        return {runs[0][0]: found}
    middle = len(runs) // 2
    return _count_by_run(runs[:middle]) | _count_by_run(runs[middle:])


def _count(targets: Sequence[Target]) -> Counter[str]:
    wanted = sorted(set(targets))
    return Counter({store.key: count for store in stores() if wanted and (count := store.count(wanted))})
