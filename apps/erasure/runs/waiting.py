"""Removals that wait for what kept something of theirs: how many there are, and taking them up once it is released."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from django.db.models import Q

from apps.erasure import events
from apps.erasure.contracts import WHOLE, RunState, Target
from apps.erasure.models import RemovalRun, RemovalTarget, TargetOutcome
from apps.erasure.runs.runs import run_take_up, target_of


def runs_take_up(targets: Sequence[Target]) -> None:
    """Go on with runs that ended but for these targets, which are no longer kept.

    Called in the transaction that releases them. What the eraser finds kept by something else stays as it is. Runs that
    left something in a scope or a tenant are taken up as well: what they left there need not be a target of its own.
    """
    found = _waiting_runs(targets)
    for run in RemovalRun.objects.select_for_update(no_key=True).filter(
        id__in=found, state=RunState.PARTIALLY_COMPLETED
    ):
        run_take_up(run, events.RESUMED, targets=found[run.id])


def runs_waiting(targets: Sequence[Target]) -> int:
    """How many runs are taken up once these are no longer kept."""
    return len(_waiting_runs(targets))


def _waiting_runs(targets: Sequence[Target]) -> Counter[UUID]:
    """By run, for how many targets; with what it left in a scope or a tenant, in whose midst any of them may lie."""
    wanted = set(targets)
    if not wanted:
        return Counter()
    retained = RemovalTarget.objects.filter(
        Q(type__in=WHOLE) | Q(item_id__in={target.id for target in wanted}),
        outcome=TargetOutcome.RETAINED,
        run__state=RunState.PARTIALLY_COMPLETED,
    )
    return Counter(each.run_id for each in retained if each.type in WHOLE or target_of(each) in wanted)
