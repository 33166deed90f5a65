"""A run's targets and steps while it is carried out: what was there before, what was removed, what must stay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Final
from uuid import UUID

from django.utils import timezone

from apps.erasure import events
from apps.erasure.contracts import Store, Target, TargetType
from apps.erasure.errors import RemovalError
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.registry import kept, kept_within, stores, stores_for, types_of
from apps.erasure.runs.in_flight import taken_along
from apps.erasure.runs.runs import target_of

_AT_ONCE: Final = 5_000


class Ledger:
    """The targets and steps of a run. They are read once each time a run is taken up, since only its lease holder
    changes them.

    All writes belong to the open transaction; if that is rolled back, the run is read anew. going: the targets to be
    removed; retained: the targets that stay, with the ground. within: the scopes and tenants in `going` in which
    something stays; the rest of their contents is removed, and they end as retained.
    """

    def __init__(self, run: RemovalRun) -> None:
        rows = list(RemovalTarget.objects.filter(run=run))
        self._ids = {target_of(row): row.id for row in rows}
        self.going = {target_of(row) for row in rows if row.outcome == TargetOutcome.PENDING}
        self.retained = {target_of(row): row.ground for row in rows if row.outcome == TargetOutcome.RETAINED}
        self.unauthorised = {
            target_of(row)
            for row in rows
            if row.type == TargetType.EVENT_GROUP and row.authorised_by is None and row.outcome != TargetOutcome.REMOVED
        }
        self.within: dict[Target, dict[Target, str]] = {}
        self._to_go: list[Target] | None = None
        self.steps = {step.store: step for step in RemovalStep.objects.filter(run=run)}

    @property
    def targets(self) -> list[Target]:
        return sorted(self._ids)

    @property
    def to_go(self) -> list[Target]:
        """Return the targets to remove, sorted. Cached: every transaction (one per thousand targets) asks for it."""
        if self._to_go is None:
            self._to_go = sorted(self.going)
        return self._to_go

    @property
    def is_kept_off(self) -> bool:
        """Return whether anything of the run must stay."""
        return bool(self.retained or self.within)

    def of(self, store: Store) -> list[Target]:
        """Return the targets that the store is to clear."""
        left_out = self.within.keys() if _waits(store) else frozenset()
        return [target for target in _known_to(store, self.to_go) if not left_out or target not in left_out]

    def staying_in(self, store: Store) -> int:
        """Return how many items the store holds of what must stay."""
        inside = {item for items in self.within.values() for item in items}
        wholes = self.within.keys() if _waits(store) else frozenset[Target]()
        stays = _known_to(store, sorted(self.retained.keys() | inside | wholes))
        return store.count(stays) if stays else 0

    def open_steps(self, run: RemovalRun) -> None:
        """Create a step for each store that has none, with the count of what the store holds of all targets.

        Raises: RemovalError: a step names a store that is no longer registered.
        """
        known = {store.key for store in stores()}
        for key in self.steps.keys() - known:
            raise RemovalError("audit.removal_store_gone", run=run.id, store=key)
        first = len(self.steps)
        new = [store for store in stores() if store.key not in self.steps]
        targets = self.targets
        for place, store in enumerate(new, start=first):
            before = store.count(_known_to(store, targets))
            self.steps[store.key] = RemovalStep.objects.create(
                tenant_id=run.tenant_id, run=run, store=store.key, ordinal=place, before=before, remaining=before
            )
        if new:
            events.record_run(events.STARTED, run, before={store.key: self.steps[store.key].before for store in new})

    def keep(self, run: RemovalRun) -> None:
        """Mark the targets that must stay as retained, and leave them out from this transaction on."""
        self.within = kept_within(self.to_go)
        found = {target: ground for target, ground in kept(self.to_go).items() if target in self.going}
        if not found:
            return
        by_ground: dict[str, list[UUID]] = defaultdict(list)
        for target, ground in found.items():
            by_ground[ground].append(self._ids[target])
        for ground, ids in by_ground.items():
            self._mark(ids, outcome=TargetOutcome.RETAINED, ground=ground)
        self.going -= found.keys()
        self._to_go = None
        self.retained |= found
        events.record_run(events.RETAINED, run, targets=len(found), grounds=sorted(by_ground))

    def let_go(self) -> bool:
        """Take up retained targets that nothing keeps any more. Returns: whether there were any.

        A scope or tenant that ended as retained is taken up even if items in it must stay: keep() leaves those out
        again.
        """
        stays = kept(sorted(self.retained)) if self.retained else {}
        free = self.retained.keys() - stays.keys()
        if not free:
            return False
        self._mark([self._ids[target] for target in free], outcome=TargetOutcome.PENDING, ground="")
        for target in free:
            del self.retained[target]
        self.going |= free
        self._to_go = None
        self.reopen(self.steps)
        return True

    def take_along(self, run: RemovalRun) -> bool:
        """Add parts of events that concern the targets to remove and are not targets yet. Returns: whether any were."""
        rows = [row for row in taken_along(run, self.going, self._ids) if target_of(row) not in self._ids]
        if not rows:
            return False
        new = {target_of(row): row.id for row in rows}
        self._ids |= new
        self.going |= new.keys()
        self._to_go = None
        self.unauthorised |= new.keys()
        self.reopen(self.steps.keys() & {store.key for store in stores_for(TargetType.EVENT_GROUP)})
        events.record_run(events.EXTENDED, run, targets=len(new))
        return True

    def reopen_refilled(self) -> None:
        """Reopen finished stores that hold something again, such as a job that was sent meanwhile."""
        done = [store for store in stores() if store.key in self.steps and self.steps[store.key].finished_at]
        self.reopen([store.key for store in done if (targets := _known_to(store, self.to_go)) and store.count(targets)])

    def reopen(self, keys: Collection[str]) -> None:
        for key in keys:
            step = self.steps[key]
            step.finished_at = None
            step.save(update_fields=["finished_at"])

    def authorised(self, targets: Iterable[Target], by: UUID) -> None:
        done = set(targets)
        self._mark([self._ids[target] for target in done], authorised_by=by)
        self.unauthorised -= done

    def finish_step(self, run: RemovalRun, store: Store) -> None:
        """Finish the step of a store that has counted zero of what is to be removed, in this transaction."""
        step = self.steps[store.key]
        step.remaining, step.finished_at = 0, timezone.now()
        step.retained = self.staying_in(store)
        step.save(update_fields=["started_at", "removed", "remaining", "retained", "finished_at"])
        events.record_run(
            events.STEP_FINISHED,
            run,
            store=store.key,
            before=step.before,
            removed=step.removed,
            retained=step.retained,
        )

    def close(self) -> None:
        """Mark the removed targets as removed, and the scopes and tenants in which something stays as retained."""
        self._mark([self._ids[target] for target in self.going - self.within.keys()], outcome=TargetOutcome.REMOVED)
        for whole, items in self.within.items():
            self._mark([self._ids[whole]], outcome=TargetOutcome.RETAINED, ground=next(iter(items.values())))

    def _mark(self, ids: list[UUID], **values: object) -> None:
        for start in range(0, len(ids), _AT_ONCE):
            RemovalTarget.objects.filter(id__any_of=ids[start : start + _AT_ONCE]).update(**values)


def _known_to(store: Store, targets: Iterable[Target]) -> list[Target]:
    """Return the targets of the types that the store declares, or all targets if it declares none."""
    types = types_of(store) or frozenset(TargetType)
    return [target for target in targets if target.type in types]


def _waits(store: Store) -> bool:
    return bool(getattr(store, "waits_for_holds", False))
