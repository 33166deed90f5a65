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

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import payloads_of
from apps.erasure.contracts import Origin, RunState, Target
from apps.erasure.errors import RemovalError
from apps.erasure.events import PROPOSED
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.registry import stores
from apps.erasure.runs.runs import target_of
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.waits import is_past

# A run that nobody takes up for this long tells that the eraser is not running.
LATE_AFTER: Final = timedelta(minutes=5)
# Decided on as runs; one for a request is decided on with the request.
BESIDES_REQUESTS: Final = (Origin.REMOVAL, Origin.PURGE)


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


def to_approve(principal: Principal) -> int:
    """How many runs, but for those of requests, wait for a decision that this person could take. One query at most."""
    if not principal.may(Permission.PRIVACY_APPROVE):
        return 0
    waiting = RemovalRun.objects.filter(origin__in=BESIDES_REQUESTS, state=RunState.PROPOSED)
    return int(waiting.exclude(proposed_by=principal.id).count())


def words_of(run: RemovalRun) -> str:
    """Why it was proposed, in the proposer's own words; empty where nothing was said, or that part was removed."""
    told = Event.objects.filter(action=PROPOSED, subject_id=run.id)[:1]
    for payload in payloads_of(told, groups=(Group.ACTOR,)).values():
        return str(payload.get(Group.ACTOR, {}).get("reason", ""))
    return ""


def run_of(run_id: UUID) -> RemovalRun:
    """Raises RemovalError."""
    run: RemovalRun | None = RemovalRun.objects.filter(id=run_id).first()
    if run is None:
        raise RemovalError("audit.removal_run_not_found", run=run_id)
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
    is_left = is_past("lease_until", now) | Q(lease_until__isnull=True) & is_past("next_attempt_at", now)
    due = RemovalRun.objects.filter(Q(state=RunState.APPROVED) | Q(state=RunState.EXECUTING) & is_left).order_by()
    since = Case(
        When(state=RunState.APPROVED, then=Coalesce("next_attempt_at", "approved_at")),
        default=Coalesce("lease_until", "next_attempt_at"),
    )
    found = due.aggregate(waiting=Count("id"), since=Min(since))
    oldest = now - found["since"] if found["since"] else timedelta()
    return RemovalLag(waiting=found["waiting"], oldest=max(oldest, timedelta()))
