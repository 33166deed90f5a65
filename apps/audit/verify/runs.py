"""Run a verification in the worker: completely, on one snapshot, against the checkpoint that lies outside."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.audit.errors import CheckpointExportError
from apps.audit.models import Outcome, Verification, VerificationState
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.errors import VerificationError
from apps.audit.verify.findings import FindingClass, VerificationReport
from apps.audit.verify.outside import outside_checkpoint
from apps.audit.verify.statements import state_verification
from apps.audit.verify.stating import export_statement
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Lease, LeaseLostError, Progress, claim, hold

logger = logging.getLogger("glassbox.audit")

FINISHED_ACTION: Final = "audit.verification.finished"
# This many findings are kept to be shown. All are counted, and `manage.py audit verify` names them.
SHOWN: Final = 100
# Failures that may be over in a few minutes: a place that can't be reached, or a program that ran out of a resource.
_PASSING: Final = frozenset(
    {CheckpointExportError.code, "audit.exported_checkpoint_lost", "audit.verification_crashed"}
)
# Findings that may be gone in a few minutes: a removal is carried out, and a checkpoint is signed every minute.
PASSING_CLASSES: Final = frozenset(
    {FindingClass.INCOMPLETE_ERASURE, FindingClass.UNSIGNED_REMOVAL, FindingClass.UNSIGNED_TAIL}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationPolicy:
    """The patience of the runner. lease_s must outlast the longest single query of a verification."""

    lease_s: float = 300.0
    told_every_s: float = 2.0
    max_attempts: int = 3
    retry_after_s: float = 300.0


class VerificationOutcome(StrEnum):
    NOT_CLAIMED = "not_claimed"
    DONE = "done"
    AGAIN = "again"
    FAILED = "failed"
    LOST = "lost"


def verification_run(
    *, verification_id: UUID, tenant_id: TenantId, policy: VerificationPolicy | None = None
) -> VerificationOutcome:
    """Verify a log completely. Safe to call twice, concurrently, and after a crash at any point.

    Returns: NOT_CLAIMED if another worker has it, or it is finished; LOST if another worker began it again in the
             meantime; AGAIN if it failed in a way that may pass, and waits for its next attempt.
    """
    policy = policy or VerificationPolicy()
    lease = claim_verification(tenant_id=tenant_id, verification_id=verification_id, lease_s=policy.lease_s)
    if lease is None:
        return VerificationOutcome.NOT_CLAIMED
    try:
        found = _verified(lease, policy)
        if isinstance(found, ApplicationError):
            return _fail(lease, found, policy)
        if found.totals and PASSING_CLASSES.issuperset(found.totals) and lease.attempts < policy.max_attempts:
            is_removal = FindingClass.INCOMPLETE_ERASURE in found.totals
            return _wait(lease, "audit.removal_under_way" if is_removal else "audit.checkpoint_missing", policy)
        _finish(lease, found)
    except LeaseLostError:
        logger.warning("verification %s was taken over", verification_id)
        return VerificationOutcome.LOST
    return VerificationOutcome.DONE


def claim_verification(*, tenant_id: TenantId, verification_id: UUID, lease_s: float) -> Lease[Verification] | None:
    """Take a verification that waits or lost its worker, and begin it again; return None if there is none."""
    fresh = {"done": 0, "total": 0, "error_code": ""}
    return claim(Verification, tenant_id=tenant_id, job_id=verification_id, lease_s=lease_s, **fresh)


def _verified(lease: Lease[Verification], policy: VerificationPolicy) -> VerificationReport | ApplicationError:
    """Return the report, or the error that prevented the verification. Raises: LeaseLostError."""
    if lease.attempts > policy.max_attempts:
        return VerificationError("audit.verification_worker_lost", attempts=lease.attempts - 1)
    try:
        note = outside_checkpoint(lease.tenant_id)
        progress = Progress(lease, every_s=policy.told_every_s, at_once=True)
        return verify_tenant(tenant=lease.tenant_id, checkpoint=note, progress=progress)
    except LeaseLostError:
        raise
    except ApplicationError as error:
        return error
    except Exception as error:  # noqa: BLE001 - it is written down, without its message
        # The message is not logged, because a driver's message may quote a row.
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("verification %s: %s at\n%s", lease.job_id, type(error).__name__, where)  # noqa: TRY400
        return VerificationError("audit.verification_crashed", kind=type(error).__name__)


def _finish(lease: Lease[Verification], report: VerificationReport) -> None:
    count = sum(report.totals.values())
    totals = {str(kind): number for kind, number in sorted(report.totals.items())}
    _end(
        lease,
        state=VerificationState.FINDINGS if count else VerificationState.INTACT,
        done=report.size,
        total=report.size,
        checkpoint_size=report.checkpoint,
        covered_size=report.covered,
        leaves=report.size,
        events=report.checked.leaves - totals.get(FindingClass.MISSING_EVENT, 0) + report.checked.unsealed,
        groups=report.checked.groups,
        finding_count=count,
        findings={"totals": totals, "first": [_place(each) for each in report.findings[:SHOWN]]} if count else {},
    )
    if count:
        told_ = ", ".join(f"{kind} {number}" for kind, number in totals.items())
        logger.error(
            "the log of tenant %s does not verify: %d findings (%s), verification %s",
            lease.tenant_id,
            count,
            told_,
            lease.job_id,
        )


def _place(finding: Any) -> dict[str, Any]:
    return {
        "class": str(finding.kind),
        "leaf": finding.index,
        "event": None if finding.event_id is None else str(finding.event_id),
        "group": finding.group,
        "size": finding.size,
    }


def _fail(lease: Lease[Verification], error: ApplicationError, policy: VerificationPolicy) -> VerificationOutcome:
    """Wait for the next attempt if the failure may pass; otherwise end the verification as failed."""
    logger.error("the log of tenant %s could not be verified: %s", lease.tenant_id, error.code)
    if error.code in _PASSING and lease.attempts < policy.max_attempts:
        return _wait(lease, error.code, policy)
    _end(lease, state=VerificationState.FAILED, error_code=error.code)
    return VerificationOutcome.FAILED


def _wait(lease: Lease[Verification], code: str, policy: VerificationPolicy) -> VerificationOutcome:
    with open_scope(tenant=lease.tenant_id, reason=Verification.reason):
        hold(
            lease,
            state=VerificationState.WAITING,
            lease_until=None,
            error_code=code,
            next_attempt_at=timezone.now() + timedelta(seconds=policy.retry_after_s),
        )
    return VerificationOutcome.AGAIN


def _end(lease: Lease[Verification], **result: Any) -> None:
    """Record the final result of the verification, with its event."""
    now = timezone.now()
    duration_ms = int((now - lease.started_at).total_seconds() * 1_000)
    note = state_verification(
        tenant_id=lease.tenant_id,
        verification_id=lease.job_id,
        state=VerificationState(result["state"]),
        at=now,
        result={name: str(value) if name == "state" else value for name, value in result.items()},
    )
    with open_scope(tenant=lease.tenant_id, reason=Verification.reason):
        hold(lease, lease_until=None, finished_at=now, duration_ms=duration_ms, note=note, **result)
        record(
            action=FINISHED_ACTION,
            core={
                "state": str(result["state"]),
                "leaves": result.get("leaves", 0),
                "checkpoint_size": result.get("checkpoint_size"),
                "finding_count": result.get("finding_count", 0),
                "totals": result.get("findings", {}).get("totals", {}),
                "error_code": result.get("error_code", ""),
                "duration_ms": duration_ms,
            },
            outcome=Outcome.SUCCESS if result["state"] == VerificationState.INTACT else Outcome.FAILED,
            subject_type="verification",
            subject_id=lease.job_id,
        )
    if note:
        export_statement(lease.tenant_id, note)
