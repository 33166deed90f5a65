"""How a run that was verified ends: with what the scan found, said in the log, in one transaction."""

from __future__ import annotations

from datetime import date
from typing import Final
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from apps.audit.models import Outcome
from apps.erasure import events
from apps.erasure.certificate.statement import statement_of
from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun, RemovalStep, RemovalTarget, TargetOutcome
from apps.erasure.proof import safe
from apps.erasure.registry import kept, kept_within, stores
from apps.erasure.residue.access import Access
from apps.erasure.runs.lease import REASON
from apps.erasure.runs.queue import enqueue_certificate
from apps.erasure.runs.runs import run_take_up, target_of, tell
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

RESIDUE: Final = "audit.proof_residue"
INCOMPLETE: Final = "audit.removal_incomplete"


def end(run: RemovalRun, *, access: Access) -> RunState | None:
    """End a run whose scan is there. Returns: how; None where it is in another state by now.

    A second scan that was not clean (see disk.note_scan) fails it, until a person has it tried again.
    """
    reviews = _reviews(run, access=access)
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        found = RemovalRun.objects.select_for_update(no_key=True).filter(id=run.id, state=RunState.VERIFYING).first()
        if found is None:
            return None
        if not found.verification["scan"]["clean"]:
            by_group: dict[str, int] = {}
            for hit in found.verification["scan"]["hits"]:
                by_group[hit["group"]] = by_group.get(hit["group"], 0) + hit["count"]
            write_failure(found, RESIDUE, residue=by_group)
            return RunState.FAILED
        state = _ended(found, reviews)
    safe.destroy(access.home, tenant_id=run.tenant_id, run_id=run.id)
    return state


def end_unproven(*, tenant_id: TenantId, run_id: UUID) -> RunState | None:
    """End a run that two people have agreed to end without a physical proof, once every store counted zero.

    All stores are asked once more, in the same transaction. Returns: how it ended; None where it is no such run, or not
    that far.
    """
    with open_scope(tenant=tenant_id, reason=REASON):
        ready = RemovalRun.objects.filter(id=run_id, state=RunState.VERIFYING, unproven_agreed_by__isnull=False)
        found = ready.select_for_update(no_key=True).first()
        if found is None:
            return None
        gone = [target_of(each) for each in RemovalTarget.objects.filter(run=found, outcome=TargetOutcome.REMOVED)]
        left = {store.key: count for store in stores() if gone and (count := store.count(gone))}
        if left:
            write_failure(found, INCOMPLETE, remaining=left)
            return RunState.FAILED
        # When holds are looked at again is the server's administrator's to read.
        state = _ended(found, {})
    safe.destroy(settings.GLASSBOX_HOME, tenant_id=tenant_id, run_id=run_id)
    return state


def fail(run: RemovalRun, code: str) -> None:
    """Fail a run that can't be verified."""
    with open_scope(tenant=TenantId(run.tenant_id), reason=REASON):
        found = RemovalRun.objects.select_for_update(no_key=True).filter(id=run.id, state=RunState.VERIFYING).first()
        if found is not None:
            write_failure(found, code)


def write_failure(run: RemovalRun, code: str, **core: object) -> None:
    run.state, run.error_code, run.next_attempt_at = RunState.FAILED, code, None
    run.save(update_fields=["state", "error_code", "next_attempt_at"])
    events.record_run(events.FAILED, run, outcome=Outcome.FAILED, error_code=code, **core)
    tell(run)


def _ended(run: RemovalRun, reviews: dict[UUID, date]) -> RunState:
    targets = list(RemovalTarget.objects.filter(run=run))
    steps = list(RemovalStep.objects.filter(run=run))
    retained = [target_of(each) for each in targets if each.outcome == TargetOutcome.RETAINED]
    run.state = RunState.PARTIALLY_COMPLETED if retained else RunState.COMPLETED
    run.finished_at = timezone.now()
    event = events.record_run(
        events.ENDED,
        run,
        state=run.state,
        proof=run.proof,
        removed={step.store: step.removed for step in steps},
        targets=len(targets),
        retained=len(retained),
        statement=statement_of(run, targets=targets, steps=steps, reviews=reviews),
    )
    run.end_events = [*run.end_events, event.id]
    run.save(update_fields=["state", "finished_at", "end_events"])
    tell(run)
    enqueue_certificate(run)
    state = RunState(run.state)
    # Released while the disk was looked at: nobody else would take it up.
    free = set(retained) - kept(sorted(retained)).keys() - kept_within(sorted(retained)).keys() if retained else set()
    if free:
        run_take_up(run, events.RESUMED, targets=len(free))
    return state


def _reviews(run: RemovalRun, *, access: Access) -> dict[UUID, date]:
    """When the holds of the tenant are looked at again."""
    with access.connect() as connection:
        rows = connection.execute(
            "SELECT id, review_on FROM audit_legalhold WHERE tenant_id = %s", [run.tenant_id]
        ).fetchall()
    return dict(rows)
