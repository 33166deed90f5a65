"""Carry out an approved run as glassbox_eraser: store by store, in bounded transactions, until each store counts zero.

Every transaction holds the run's lease, asks what must stay, and can be repeated. If the process is killed, the next
process that finds the lease expired continues from the last commit. No transaction waits: what cannot be removed yet is
tried again on a schedule. For example, a part of an event is removed only once the event that authorises it is sealed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import timedelta
from time import monotonic
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Event, Leaf, Outcome, Payload
from apps.audit.registry import Group
from apps.erasure import events
from apps.erasure.contracts import Origin, Proof, RunState, Store, Target
from apps.erasure.log_removal import MOST_REMOVALS, Removal, RemovalReason, is_unvouched, payload_erase
from apps.erasure.models import RemovalRun
from apps.erasure.proof.ending import end_unproven
from apps.erasure.registry import stores
from apps.erasure.runs.in_flight import await_records
from apps.erasure.runs.lease import EnginePolicy, claim, due_runs, tenants_with_due_runs
from apps.erasure.runs.ledger import Ledger
from apps.erasure.runs.runs import tell
from apps.erasure.tombstones.writing import tombstone_close, tombstone_write
from apps.errors import ApplicationError
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Lease, LeaseLostError, enqueue, holding
from apps.tenants.sweeping import each_by_itself, each_tenant

logger = logging.getLogger("glassbox.audit")

CRASHED: Final = "audit.removal_crashed"
INCOMPLETE: Final = "audit.removal_incomplete"
STUCK: Final = "audit.removal_stuck"
_USUAL: Final = EnginePolicy()


class _NotYet(Exception):
    """Raised when a store holds something that cannot be removed now."""


class _TurnOver(Exception):
    """Raised when the run has used up its turn, so that other runs can go on."""


def carry_out_due(policy: EnginePolicy = _USUAL) -> int:
    """Continue every run that is approved, waits, or was left by a process that died. Returns: how many."""
    return each_tenant(
        lambda tenant_id: _carry_out_due(tenant_id, policy),
        doing=RemovalRun.sweep(),
        tenants=tenants_with_due_runs(),
    )


def _carry_out_due(tenant_id: TenantId, policy: EnginePolicy) -> int:
    return each_by_itself(
        due_runs(tenant_id),
        lambda run_id: run_carry_out(tenant_id=tenant_id, run_id=run_id, policy=policy) is not None,
        doing="carry out an approved removal",
    )


def run_carry_out(*, tenant_id: TenantId, run_id: UUID, policy: EnginePolicy = _USUAL) -> RunState | None:
    """Continue one run for at most one turn.

    Returns: the state in which the run is left: EXECUTING if it goes on later, VERIFYING if the prover checks the disk
             before it ends (unless it is to end without that proof: unproven.py). None if no run could be claimed.
    """
    lease = claim(tenant_id=tenant_id, run_id=run_id, policy=policy)
    if lease is None:
        return end_unproven(tenant_id=tenant_id, run_id=run_id)
    try:
        state = _carry_out(lease, policy)
        return end_unproven(tenant_id=tenant_id, run_id=run_id) or state
    except _NotYet:
        return _give_back(lease, policy, moved=False)
    except _TurnOver:
        return _give_back(lease, policy, moved=True)
    except LeaseLostError:
        logger.warning("removal run %s was taken over by another process", run_id)
        return None
    except Exception as error:  # noqa: BLE001 - a room's store may raise anything; the clock tries again
        # The message is not logged: a database error may quote a row.
        code = error.code if isinstance(error, ApplicationError) else CRASHED
        logger.error("removal run %s failed: %s", run_id, type(error).__name__)  # noqa: TRY400
        return _fail(lease, policy, code)


def _carry_out(lease: Lease[RemovalRun], policy: EnginePolicy) -> RunState:
    until = monotonic() + policy.turn_seconds
    await_records(lease.tenant_id, lease.job_id)
    with holding(lease) as run:
        ledger = Ledger(run)
        if ledger.let_go() or not ledger.steps:
            ledger.take_along(run)
        ledger.keep(run)
        if run.attempts:
            ledger.reopen_refilled()
        ledger.open_steps(run)
    while True:
        _note_outside(tombstone_write, run, ledger.to_go)
        _authorise(lease, ledger)
        for store in stores():
            while ledger.steps[store.key].finished_at is None:
                if monotonic() > until:
                    raise _TurnOver
                _clear(lease, policy, ledger, store)
        _note_outside(tombstone_close, run, sorted(ledger.retained))
        state = _end(lease, policy, ledger)
        if state is not None:
            return state


def _note_outside(write: Callable[..., None], run: RemovalRun, targets: Sequence[Target]) -> None:
    """Write a tombstone between transactions, so that what is kept outside the database never depends on a commit.

    An exception stops the run; the write is tried again together with the run.
    """
    write(
        tenant_id=TenantId(run.tenant_id),
        run_id=run.id,
        origin=Origin(run.origin),
        reason_code=run.reason_code,
        targets=targets,
    )


def _authorise(lease: Lease[RemovalRun], ledger: Ledger) -> None:
    """Record in the log which parts of events are to be removed. Leave events that are not sealed yet for later."""
    waiting = sorted(ledger.unauthorised & ledger.going)
    for start in range(0, len(waiting), MOST_REMOVALS):
        with holding(lease) as run:
            ledger.keep(run)
            some = [target for target in waiting[start : start + MOST_REMOVALS] if target in ledger.going]
            ids = {target.id for target in some}
            there = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
            there |= {(event.id, str(Group.ACTOR)) for event in Event.objects.filter(id__in=ids) if is_unvouched(event)}
            sealed = set(Leaf.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
            ready = [each for each in some if (each.id, each.part) in there and each.id in sealed]
            if ready:
                removals = [Removal(event_id=each.id, group=each.part) for each in ready]
                event = payload_erase(removals=removals, reason_code=RemovalReason(run.reason_code))
                ledger.authorised(ready, event.id)


def _clear(lease: Lease[RemovalRun], policy: EnginePolicy, ledger: Ledger, store: Store) -> None:
    """Run one transaction of a step. Raises: _NotYet: nothing could be removed, although items remain."""
    step = ledger.steps[store.key]
    with holding(lease) as run:
        ledger.keep(run)
        targets = ledger.of(store)
        removed = store.clear(targets, limit=policy.batch) if targets else 0
        step.started_at = step.started_at or timezone.now()
        step.removed += removed
        step.remaining = max(0, step.remaining - removed)
        if removed < policy.batch:
            step.remaining = store.count(targets) if targets else 0
        if step.remaining or removed >= policy.batch:
            step.save(update_fields=["started_at", "removed", "remaining"])
        else:
            ledger.finish_step(run, store)
        if removed and run.attempts:
            run.attempts = 0
            run.save(update_fields=["attempts"])
    if not removed and step.finished_at is None:
        raise _NotYet


def _end(lease: Lease[RemovalRun], policy: EnginePolicy, ledger: Ledger) -> RunState | None:
    """Count every store once more, in one transaction. Returns: how the run ended, or None if it goes on."""
    with holding(lease) as run:
        if ledger.let_go() or ledger.take_along(run):
            return None
        ledger.keep(run)
        asked = ((store, ledger.of(store)) for store in stores())
        left = {store.key: count for store, targets in asked if targets and (count := store.count(targets))}
        if left:
            for key, count in left.items():
                step = ledger.steps[key]
                step.remaining, step.finished_at = count, None
                step.save(update_fields=["remaining", "finished_at"])
            _write_failure(run, policy, INCOMPLETE, remaining=left)
            return RunState.FAILED
        for store in stores():
            step = ledger.steps[store.key]
            step.retained = ledger.staying_in(store)
            step.save(update_fields=["retained"])
        ledger.close()
        counts: dict[str, Any] = {
            "removed": {key: step.removed for key, step in sorted(ledger.steps.items())},
            "targets": len(ledger.targets),
            "retained": len(ledger.retained) + len(ledger.within),
        }
        run.attempts = 0
        _let_go_of(run)
        if run.proof == Proof.PHYSICAL:
            # The prover, which examines the disk, decides how the run ends: proof/prover.py.
            run.state, run.verifying_at = RunState.VERIFYING, timezone.now()
            run.save(update_fields=["state", "verifying_at", "attempts", "lease_owner", "lease_until"])
            events.record_run(events.COUNTED_ZERO, run, **counts)
        else:
            run.state = RunState.PARTIALLY_COMPLETED if ledger.is_kept_off else RunState.COMPLETED
            run.finished_at = timezone.now()
            run.save(update_fields=["state", "finished_at", "attempts", "lease_owner", "lease_until"])
            events.record_run(events.ENDED, run, state=run.state, proof=run.proof, **counts)
        tell(run)
        return RunState(run.state)


def _give_back(lease: Lease[RemovalRun], policy: EnginePolicy, *, moved: bool) -> RunState | None:
    """Release the run so that it goes on later: right after other runs if it made progress, else after a wait."""
    try:
        with holding(lease) as run:
            if not moved and run.attempts >= policy.most_waits:
                _write_failure(run, policy, STUCK)
                return RunState.FAILED
            wait = timedelta() if moved else policy.wait(run.attempts)
            run.next_attempt_at = timezone.now() + wait
            run.attempts = 0 if moved else run.attempts + 1
            _let_go_of(run)
            run.save(update_fields=["next_attempt_at", "attempts", "lease_owner", "lease_until"])
            enqueue(run, after_s=wait.total_seconds())
            return RunState.EXECUTING
    except LeaseLostError:
        return None


def _fail(lease: Lease[RemovalRun], policy: EnginePolicy, code: str) -> RunState | None:
    try:
        with holding(lease) as run:
            _write_failure(run, policy, code)
            return RunState.FAILED
    except LeaseLostError:
        return None


def _write_failure(run: RemovalRun, policy: EnginePolicy, code: str, **core: object) -> None:
    run.state, run.error_code = RunState.FAILED, code
    run.next_attempt_at = timezone.now() + policy.retry(run.attempts)
    run.attempts += 1
    _let_go_of(run)
    run.save(update_fields=["state", "error_code", "next_attempt_at", "attempts", "lease_owner", "lease_until"])
    events.record_run(events.FAILED, run, outcome=Outcome.FAILED, error_code=code, **core)
    tell(run)


def _let_go_of(run: RemovalRun) -> None:
    run.lease_owner, run.lease_until = "", None
