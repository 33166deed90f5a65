"""Write a step of a run, with its event and what the run has used, in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone
from redis.exceptions import RedisError

from apps.audit.ids import new_id
from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.research.errors import RunError, StopError
from apps.research.events import ENDED, STEP_RECORDED
from apps.research.models import ResearchRun, ResearchStep, RunState, StepKind
from apps.research.runs.sealing import Sealer, columns_of
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import Lease, hold

_REASON = "record a step of research"


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """What a step was allowed: scopes, policy version and kinds, and what was taken away since the run began."""

    scope_ids: tuple[UUID, ...]
    policy_version: int
    policy_version_id: UUID
    kinds: tuple[str, ...]
    narrowed: tuple[str, ...] = ()

    @classmethod
    def as_asked(cls, run: ResearchRun) -> Allowed:
        """Return what the run was asked within."""
        return cls(
            scope_ids=tuple(run.scope_ids),
            policy_version=run.policy_version,
            policy_version_id=run.policy_version_id,
            kinds=tuple(run.permitted_kinds),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StepFacts:
    """What a step found, by ids, codes and counts. event_id: of the question that it asked."""

    round: int = 0
    event_id: UUID | None = None
    document_ids: Collection[UUID] = ()
    passages: Sequence[Mapping[str, Any]] = ()
    scores: Mapping[str, int] = field(default_factory=dict)
    outcome: str = ""
    tokens: int = 0
    elapsed_ms: int = 0


def step_record(
    run_id: UUID,
    tenant_id: TenantId,
    kind: StepKind,
    allowed: Allowed,
    facts: StepFacts,
    content: object | None,
    *,
    lease: Lease[ResearchRun] | None,
    **changes: Any,
) -> ResearchStep:
    """Write a step as the platform, in the open transaction, and count it on its run.

    Args:    lease: of the worker that writes it; None for what is written when the run is asked for.
             content: what it says, to be sealed.
             changes: further columns of the run.
    Raises:  LeaseLostError.
             StopError: a cancellation was asked for meanwhile.
    """
    with open_scope(tenant=tenant_id, reason=_REASON):
        run: ResearchRun = ResearchRun.objects.select_for_update(no_key=True).get(id=run_id)
        if lease is not None:
            hold(lease)
        if run.cancel_requested_at is not None and kind is not StepKind.ENDED:
            raise StopError(state=RunState.CANCELLED, reason="cancelled")
        step_id = new_id()
        sealed = {} if content is None else columns_of(Sealer.of(run).seal(step_id, content))
        step: ResearchStep = ResearchStep.objects.create(
            id=step_id,
            tenant_id=run.tenant_id,
            run_id=run.id,
            owner_id=run.owner_id,
            ordinal=run.steps + 1,
            kind=kind,
            intent=run.intent,
            # The end says nothing of any scope: who lost one of them is told it too.
            scope_ids=[] if kind is StepKind.ENDED else sorted(allowed.scope_ids),
            policy_version=allowed.policy_version,
            policy_version_id=allowed.policy_version_id,
            kinds=list(allowed.kinds),
            narrowed=list(allowed.narrowed),
            round=facts.round,
            event_id=facts.event_id,
            document_ids=sorted(facts.document_ids),
            passages=list(facts.passages),
            scores=dict(facts.scores),
            outcome=facts.outcome,
            tokens=facts.tokens,
            elapsed_ms=facts.elapsed_ms,
            **sealed,
        )
        used = {
            "steps": run.steps + 1,
            "rounds": max(run.rounds, facts.round),
            "searches": run.searches + (kind is StepKind.SEARCH),
            "tokens": run.tokens + facts.tokens,
            "spent_ms": run.spent_ms + facts.elapsed_ms,
        }
        ResearchRun.objects.filter(id=run.id).update(**{**used, **changes})
        _record_event(run, step, allowed.scope_ids)
        return step


def _record_event(run: ResearchRun, step: ResearchStep, scope_ids: Collection[UUID]) -> Event:
    return record(
        action=STEP_RECORDED,
        core={
            "ordinal": step.ordinal,
            "step_kind": step.kind,
            "round": step.round,
            "intent": step.intent,
            "policy_version": step.policy_version,
            "policy_version_id": str(step.policy_version_id),
            "permitted_kinds": step.kinds,
            "narrowed": step.narrowed,
            "question_event": str(step.event_id or ""),
            "step_outcome": step.outcome,
            "passages": len(step.passages),
            "documents": len(step.document_ids),
            "scores": step.scores,
            "tokens": step.tokens,
            "elapsed_ms": step.elapsed_ms,
        },
        subject_type="research_run",
        subject_id=run.id,
        scopes=[ScopeId(each) for each in scope_ids],
    )


def run_end(
    run_id: UUID,
    tenant_id: TenantId,
    *,
    state: RunState,
    stopped_by: str,
    lease: Lease[ResearchRun] | None,
    code: str = "",
) -> None:
    """End a run: its last step, its event and its state, in one transaction. Raises: LeaseLostError."""
    with transaction.atomic(), open_scope(tenant=tenant_id, reason=_REASON):
        run: ResearchRun = ResearchRun.objects.select_for_update(no_key=True).get(id=run_id)
        if run.has_ended:
            return
        # What was asked for last: a cancellation that came first is what ends it.
        if run.cancel_requested_at is not None and state is not RunState.CANCELLED:
            state, stopped_by, code = RunState.CANCELLED, "cancelled", ""
        step_record(
            run.id,
            tenant_id,
            StepKind.ENDED,
            Allowed.as_asked(run),
            StepFacts(round=run.rounds, outcome=stopped_by),
            None,
            lease=lease,
        )
        run.refresh_from_db()
        with suppress(RunError, RedisError):
            # What it says is there for minutes from now, also where it never began. Else the key ends by itself.
            Sealer.of(run).prolong()
        ResearchRun.objects.filter(id=run.id).update(
            state=state,
            stopped_by=stopped_by,
            error_code=code,
            lease_owner="",
            lease_until=None,
            next_attempt_at=None,
            finished_at=timezone.now(),
        )
        record(
            action=ENDED,
            core={
                "steps": run.steps,
                "rounds": run.rounds,
                "searches": run.searches,
                "tokens": run.tokens,
                "elapsed_ms": run.spent_ms,
                "confidence": run.confidence,
                "run_state": str(state),
                "stopped_by": stopped_by,
                "code": code,
            },
            outcome=Outcome.SUCCESS if state is RunState.DONE else Outcome.FAILED,
            subject_type="research_run",
            subject_id=run.id,
            scopes=[ScopeId(each) for each in run.scope_ids],
        )
