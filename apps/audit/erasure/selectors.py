"""What is known of runs of removals: of what they were proposed for, and how far they have come."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Case, Count, Min, Q, When
from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.audit.erasure.contracts import Origin, RunState, Target
from apps.audit.erasure.errors import RunNotFoundError
from apps.audit.erasure.registry import stores
from apps.audit.erasure.runs import target_of
from apps.audit.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome

# A run that nobody takes up for this long tells that the eraser is not running.
LATE_AFTER: Final = timedelta(minutes=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class StepProgress:
    """One store of a run; see RemovalStep. remaining: of what is to go."""

    store: str
    label: str
    before: int
    removed: int
    retained: int
    remaining: int
    started_at: datetime | None
    finished_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunProgress:
    """done and total count items over all stores. steps is empty until the run has begun."""

    run_id: UUID
    state: RunState
    steps: tuple[StepProgress, ...]
    targets: Mapping[str, int]
    retained: Mapping[Target, str]
    error_code: str
    next_attempt_at: datetime | None

    @property
    def done(self) -> int:
        return sum(step.removed for step in self.steps)

    @property
    def total(self) -> int:
        return sum(step.removed + step.remaining for step in self.steps)

    @property
    def fraction(self) -> float:
        """0 to 1."""
        if self.state in (RunState.COMPLETED, RunState.PARTIALLY_COMPLETED):
            return 1.0
        return self.done / self.total if self.total else 0.0

    @property
    def is_moving(self) -> bool:
        return self.state in (RunState.APPROVED, RunState.EXECUTING, RunState.VERIFYING)


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovalLag:
    """waiting: runs that are due and that no process has; oldest: for how long the first of them has been."""

    waiting: int
    oldest: timedelta

    @property
    def is_late(self) -> bool:
        return self.oldest > LATE_AFTER


def runs_of(origin: Origin, origin_id: UUID) -> tuple[RemovalRun, ...]:
    """The runs that were proposed for something, the newest first."""
    return tuple(RemovalRun.objects.filter(origin=origin, origin_id=origin_id))


def run_of(run_id: UUID) -> RemovalRun:
    """Raises RunNotFoundError."""
    run: RemovalRun | None = RemovalRun.objects.filter(id=run_id).first()
    if run is None:
        raise RunNotFoundError(run=run_id)
    return run


def progress_of(run: RemovalRun) -> RunProgress:
    """How far a run has come, per store. Costs: three queries."""
    labels = {store.key: store.label for store in stores()}
    kinds = Counter(RemovalTarget.objects.filter(run=run).order_by().values_list("type", flat=True))
    retained = RemovalTarget.objects.filter(run=run, outcome=TargetOutcome.RETAINED)
    return RunProgress(
        run_id=run.id,
        state=RunState(run.state),
        steps=tuple(
            StepProgress(
                store=step.store,
                label=labels.get(step.store, step.store),
                before=step.before,
                removed=step.removed,
                retained=step.retained,
                remaining=step.remaining,
                started_at=step.started_at,
                finished_at=step.finished_at,
            )
            for step in RemovalStep.objects.filter(run=run)
        ),
        targets=dict(sorted(kinds.items())),
        retained={target_of(each): each.ground for each in retained},
        error_code=run.error_code,
        next_attempt_at=run.next_attempt_at if run.state in (RunState.FAILED, RunState.EXECUTING) else None,
    )


def removal_lag() -> RemovalLag:
    """Of the open scope's tenant. Costs: one query."""
    now = timezone.now()
    is_left = Q(lease_until__lte=now) | Q(lease_until__isnull=True, next_attempt_at__lte=now)
    due = RemovalRun.objects.filter(Q(state=RunState.APPROVED) | Q(state=RunState.EXECUTING) & is_left).order_by()
    since = Case(
        When(state=RunState.APPROVED, then=Coalesce("next_attempt_at", "approved_at")),
        default=Coalesce("lease_until", "next_attempt_at"),
    )
    found = due.aggregate(waiting=Count("id"), since=Min(since))
    oldest = now - found["since"] if found["since"] else timedelta()
    return RemovalLag(waiting=found["waiting"], oldest=max(oldest, timedelta()))
