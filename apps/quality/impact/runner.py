"""Compute a preview: each question by itself, in short transactions, as the system for the tenant."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from apps.errors import ApplicationError
from apps.quality.errors import ImpactError
from apps.quality.impact.comparison import evaluation_impact, golden_impact, recorded_impact
from apps.quality.impact.contracts import (
    EvaluationImpact,
    EvaluationShift,
    GoldenImpact,
    ImpactResult,
    RecordedImpact,
    RecordedShift,
)
from apps.quality.impact.ending import fail, finish
from apps.quality.impact.judging import Judge
from apps.quality.impact.lease import holding_current
from apps.quality.impact.plan import (
    Plan,
    RecordedQuestion,
    expected_of,
    judged,
    plan_of,
    policies_of,
    recorded_of,
)
from apps.quality.models import PolicyImpact
from apps.retrieval.errors import QuestionError
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Heartbeat, Lease, LeaseLostError, claim

logger = logging.getLogger("glassbox.retrieval")


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactPolicy:
    """Limits of the runner. lease_seconds must be longer than one question takes under one policy."""

    lease_seconds: float = 120.0
    max_attempts: int = 3
    batch_events: int = 50


class ImpactOutcome(StrEnum):
    NOT_CLAIMED = "not_claimed"
    DONE = "done"
    FAILED = "failed"
    LOST = "lost"


def impact_run(*, impact_id: UUID, tenant_id: TenantId, policy: ImpactPolicy | None = None) -> ImpactOutcome:
    """Compute a preview from beginning to end. This is safe to call twice, at once, and after a crash at any point.

    Returns: NOT_CLAIMED if another worker has it, or there is nothing to do; LOST if another worker has taken it over
             meanwhile. FAILED has its reason on the row.
    """
    limits = policy or ImpactPolicy()
    lease = claim_impact(tenant_id=tenant_id, impact_id=impact_id, policy=limits)
    if lease is None:
        return ImpactOutcome.NOT_CLAIMED
    try:
        refusal = _computed(lease, limits)
        if refusal is not None:
            fail(lease, refusal)
            return ImpactOutcome.FAILED
    except LeaseLostError:
        logger.warning("impact %s was taken over", impact_id)
        return ImpactOutcome.LOST
    return ImpactOutcome.DONE


def claim_impact(*, tenant_id: TenantId, impact_id: UUID, policy: ImpactPolicy) -> Lease[PolicyImpact] | None:
    """Claim a preview that waits, or whose worker died; it starts from the beginning. None if it is not free."""
    fresh = {"finished_at": None, "done": 0, "total": 0}
    return claim(PolicyImpact, tenant_id=tenant_id, job_id=impact_id, lease_s=policy.lease_seconds, **fresh)


def _computed(lease: Lease[PolicyImpact], policy: ImpactPolicy) -> ApplicationError | None:
    """Compute and store the result. Return the error if there is no result. Raises: LeaseLostError."""
    if lease.attempts > policy.max_attempts:
        return ImpactError("retrieval.impact_worker_lost", attempts=lease.attempts - 1)
    try:
        _Run(lease, policy).through()
    except LeaseLostError:
        raise
    except ApplicationError as error:
        return error
    except Exception as error:  # noqa: BLE001 - it is written down, without its message
        # The message is not logged, because a driver's or a parser's message may quote a question.
        crashed_at = "".join(traceback.format_tb(error.__traceback__))
        logger.error("impact %s crashed: %s at\n%s", lease.job_id, type(error).__name__, crashed_at)  # noqa: TRY400
        return ImpactError("retrieval.impact_crashed", kind=type(error).__name__)
    return None


class _Run:
    """One run. Its progress is saved with every transaction."""

    def __init__(self, lease: Lease[PolicyImpact], policy: ImpactPolicy) -> None:
        self._lease, self._policy = lease, policy
        self._done = 0
        with holding_current(lease) as impact:
            policies = policies_of(impact)
        with Heartbeat(lease):
            before, after = judged(policies, lease.tenant_id)
        with holding_current(lease) as impact:
            self._plan: Plan = plan_of(impact, before, after)
            impact.total = self._plan.total
            impact.save(update_fields=["total"])
        self._judge = Judge(lease, before=self._plan.before, after=self._plan.after)

    def through(self) -> None:
        result = ImpactResult(recorded=self._recorded(), evaluation=self._evaluation(), golden=self._golden())
        finish(self._lease, result, done=self._plan.total)

    def _recorded(self) -> RecordedImpact:
        shifts: list[RecordedShift] = []
        by_text = by_intent = not_judged = without_hits = 0
        for batch in _batches(self._plan.event_ids, self._policy.batch_events):
            with holding_current(self._lease, done=self._done):
                questions = recorded_of(batch)
            for question in questions:
                if question.text:
                    shift = self._asked_again(question)
                    if shift is None:
                        not_judged += 1
                    else:
                        shifts.append(shift)
                        by_text += 1
                elif question.intent is not None:
                    shifts.append(self._judge.recorded_intent(question))
                    by_intent += 1
                    without_hits += question.hits is None
                else:
                    not_judged += 1
                self._done += 1
        return recorded_impact(
            shifts, by_text=by_text, by_intent=by_intent, not_judged=not_judged, without_hits=without_hits
        )

    def _asked_again(self, question: RecordedQuestion) -> RecordedShift | None:
        """Ask a recorded text again. Return None if it is no longer a question, as after a change of the limits."""
        try:
            return self._judge.recorded_text(question, done=self._done)
        except QuestionError:
            return None

    def _evaluation(self) -> EvaluationImpact:
        shifts: list[EvaluationShift] = []
        for query_id in self._plan.query_ids:
            with holding_current(self._lease, done=self._done):
                expected = expected_of(query_id)
            if expected is not None:
                shifts.append(self._judge.evaluation(expected, done=self._done))
            self._done += 1
        return evaluation_impact(shifts)

    def _golden(self) -> GoldenImpact:
        shifts = [self._judge.golden(example) for example in self._plan.examples]
        self._done += len(shifts)
        return golden_impact(shifts)


def _batches(ids: Sequence[UUID], size: int) -> list[Sequence[UUID]]:
    return [ids[start : start + size] for start in range(0, len(ids), size)]
