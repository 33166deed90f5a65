"""Ask for research, start it, change its plan, and cancel it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import UUID

from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.models import Event, Outcome
from apps.audit.services import record
from apps.intents.contracts import RecordingMode
from apps.intents.selectors import policy_in_force
from apps.research.errors import RunError
from apps.research.events import CANCEL_REQUESTED, REJECTED, REQUESTED, STARTED
from apps.research.models import ENDED, ResearchRun, RunMode, RunState, StepKind
from apps.research.runs.acting import kept_days
from apps.research.runs.contracts import Plan, RunContent
from apps.research.runs.given import given_bounds
from apps.research.runs.limits import (
    BUDGETS,
    MOMENTARY_SECONDS,
    ROW_HOURS,
    WAITING_SECONDS,
)
from apps.research.runs.modes import mode_problem, modes_for
from apps.research.runs.planning import make_plan, pieces_of, planned_from
from apps.research.runs.quotas import require_quota_of_owner, require_quota_of_tenant
from apps.research.runs.reading import run_of
from apps.research.runs.recording import Allowed, StepFacts, run_end, step_record
from apps.research.runs.sealing import Sealer, columns_of
from apps.retrieval.contracts import GivenFilters, SearchBounds
from apps.retrieval.pipeline import ReadResult
from apps.retrieval.services.asking import OnRecorded
from apps.retrieval.services.following import read_question
from apps.retrieval.services.recording import question_digest
from apps.tenants.context import current_scope, open_scope, record_failure
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import enqueue
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_REASON = "write research that somebody asked for"


def run_request(
    *,
    text: str,
    scopes: Sequence[str],
    given: GivenFilters,
    principal: Principal,
    mode: RunMode | None = None,
    confirm_plan: bool = False,
    on_recorded: OnRecorded | None = None,
) -> ResearchRun:
    """Read a question, plan its research, and have a worker begin, or wait for the plan to be confirmed.

    Call it outside of any scope: the intent may be classified by a model elsewhere.

    Raises: RunError: the principal is no person, the question is rejected, its mode is not permitted, or too much runs.
            QuestionError, PermissionDeniedError, ScopeNotGrantedError and the other errors of `ask`.
    """
    require_person(principal)
    asking = _Asking(text=text, given=given, principal=principal, mode=mode, confirm_plan=confirm_plan)
    read_question(
        text=text,
        acting=ShortScopes.all_of(principal),
        scopes=scopes,
        given=given,
        write=asking.write,
        part=partial(pieces_of, text=text),
        on_recorded=partial(asking.recorded, on_recorded),
    )
    if asking.rejected is not None:
        raise asking.rejected
    if asking.run is None:
        raise AssertionError("research was recorded without a run")
    return asking.run


def require_person(principal: Principal) -> None:
    """Raises: RunError, PermissionDeniedError."""
    principal.require(Permission.QUESTION_ASK)
    if principal.kind is not PrincipalKind.USER:
        raise RunError("research.needs_a_person")


class _Asking:
    """What is written of a question once it is read: the run, or why there is none."""

    def __init__(
        self, *, text: str, given: GivenFilters, principal: Principal, mode: RunMode | None, confirm_plan: bool
    ) -> None:
        self._text, self._given, self._principal = text, given, principal
        self._mode, self._confirm_plan = mode, confirm_plan
        self._id = new_id()
        self.run: ResearchRun | None = None
        self.rejected: RunError | None = None

    def write(self, read: ReadResult, scope_ids: Sequence[ScopeId]) -> Event:
        self.rejected = _rejection(read)
        if self.rejected is not None:
            return self._reject(self.rejected, read, None, scope_ids)
        plan, mode = make_plan(read, self._text, self._mode, permitted=modes_for(read.grant.intent))
        self.rejected = mode_problem(mode, read.grant.intent)
        if self.rejected is not None:
            return self._reject(self.rejected, read, mode, scope_ids)
        kinds = [
            kind.value for kind in read.grant.permitted if self._given.kinds is None or kind.value in self._given.kinds
        ]
        event = record(
            action=REQUESTED,
            core={
                **_bounds(read, mode),
                "recording_mode": read.grant.recording_mode.value,
                "sub_questions": len(plan.sub_questions),
                "searches_most": BUDGETS[mode].searches,
                "tokens_most": BUDGETS[mode].tokens,
            },
            question=question_digest(self._text),
            subject_type="research_run",
            subject_id=self._id,
            scopes=scope_ids,
        )
        self.run = self._make(read, plan, mode, kinds, event, scope_ids)
        return event

    def _reject(self, problem: RunError, read: ReadResult, mode: RunMode | None, scope_ids: Sequence[ScopeId]) -> Event:
        return record(
            action=REJECTED,
            core={**_bounds(read, mode), "code": problem.code},
            question=question_digest(self._text),
            outcome=Outcome.REFUSED,
            scopes=scope_ids,
        )

    def recorded(self, on_recorded: OnRecorded | None, event: Event) -> None:
        """Tell of a question that began a run. One that was rejected is asked anew where it is sent again."""
        if on_recorded and self.rejected is None:
            on_recorded(event)

    def _make(
        self,
        read: ReadResult,
        plan: Plan,
        mode: RunMode,
        kinds: Sequence[str],
        event: Event,
        scope_ids: Sequence[ScopeId],
    ) -> ResearchRun:
        tenant_id, budget, now = current_scope().tenant_id, BUDGETS[mode], timezone.now()
        days = kept_days() if read.grant.recording_mode is RecordingMode.ENCRYPTED_TEXT else 0
        sealer = Sealer(tenant=tenant_id, run_id=self._id, kept=days > 0)
        sealer.make_key(MOMENTARY_SECONDS if self._confirm_plan else WAITING_SECONDS)
        content = RunContent(question=self._text, decision=read.decision, given=given_bounds(self._given), plan=plan)
        with open_scope(tenant=tenant_id, reason=_REASON):
            require_quota_of_owner(tenant_id, self._principal)
            require_quota_of_tenant(tenant_id, mode)
            run: ResearchRun = ResearchRun.objects.create(
                id=self._id,
                tenant_id=tenant_id,
                scope_ids=sorted(scope_ids),
                owner_id=self._principal.id,
                owner_key_id=self._principal.key_id,
                event_id=event.id,
                mode=mode,
                state=RunState.PLANNED if self._confirm_plan else RunState.QUEUED,
                intent=read.grant.intent,
                policy_version=read.grant.policy_version,
                policy_version_id=read.grant.policy_version_id,
                permitted_kinds=list(kinds),
                withheld=[kind.value for kind in read.grant.withheld],
                recording_mode=read.grant.recording_mode.value,
                rounds_most=budget.rounds,
                confidence_wanted=budget.confidence,
                searches_most=budget.searches,
                tokens_most=budget.tokens,
                seconds_most=budget.seconds,
                next_attempt_at=now + ResearchRun.resend_after,
                expires_at=now + (timedelta(days=days) if days else timedelta(hours=ROW_HOURS)),
                **columns_of(sealer.seal(self._id, content)),
            )
            bounds = SearchBounds(
                tenant_id=tenant_id, scope_ids=tuple(scope_ids), kinds=tuple(kinds), given=self._given
            )
            facts = StepFacts(
                event_id=event.id,
                document_ids=planned_from(plan, bounds),
                outcome="planned" if self._confirm_plan else "queued",
                elapsed_ms=round(read.trace.elapsed_ms),
            )
            step_record(run.id, tenant_id, StepKind.ANALYSIS, Allowed.as_asked(run), facts, plan, lease=None)
            run.refresh_from_db()
            if run.state == RunState.QUEUED:
                enqueue(run)
        return run


def _rejection(read: ReadResult) -> RunError | None:
    refusal = read.analysis.refusal
    if refusal is not None:
        return RunError("research.refused", reason=refusal.message)
    data = {"topics": ", ".join(each.label for each in policy_in_force().intents), "intent": read.decision.label}
    about_something = read.analysis.companies_named or read.analysis.expansions
    if not read.decision.recognised and not (read.grant.permitted and about_something):
        return RunError("research.off_topic", **data)
    if not read.grant.permitted:
        return RunError("research.nothing_permitted", **data)
    if not read.inventory.entries:
        return RunError("research.nothing_held", **data)
    return None


def _bounds(read: ReadResult, mode: RunMode | None) -> Mapping[str, Any]:
    return {
        "research_mode": str(mode or ""),
        "intent": read.decision.intent,
        "policy_version": read.grant.policy_version,
        "policy_version_id": str(read.grant.policy_version_id),
        "permitted_kinds": [kind.value for kind in read.grant.permitted],
        "withheld_kinds": [kind.value for kind in read.grant.withheld],
    }


def run_start(run_id: UUID) -> ResearchRun:
    """Start one's own run whose plan waits for it, in the open scope. Raises: RunError."""
    current_scope().principal.require(Permission.QUESTION_ASK)
    run = run_of(run_id)
    if run.state != RunState.PLANNED:
        raise RunError("research.not_planned")
    _require_mode(run)
    with open_scope(tenant=TenantId(run.tenant_id), reason=_REASON):
        require_quota_of_tenant(TenantId(run.tenant_id), RunMode(run.mode))
        started = ResearchRun.objects.filter(id=run.id, state=RunState.PLANNED).update(
            state=RunState.QUEUED, next_attempt_at=timezone.now() + ResearchRun.resend_after
        )
        if not started:
            raise RunError("research.not_planned")
        Sealer.of(run).prolong(WAITING_SECONDS)
        enqueue(run)
    _record(run, STARTED, {"research_mode": run.mode})
    return run_of(run_id)


def _require_mode(run: ResearchRun) -> None:
    """Require that the policy in force permits the mode of a planned run, and record it if not. Raises: RunError."""
    problem = mode_problem(run.mode, run.intent)
    if problem is None:
        return
    record_failure(
        action=REJECTED,
        core={"research_mode": run.mode, "intent": run.intent, "code": problem.code},
        outcome=Outcome.REFUSED,
        subject_type="research_run",
        subject_id=run.id,
        scopes=_scopes_held(run),
    )
    raise problem


def run_cancel(run_id: UUID) -> ResearchRun:
    """Cancel one's own run, in the open scope. What runs stops before its next step is recorded. Raises: RunError."""
    current_scope().principal.require(Permission.QUESTION_ASK)
    run = run_of(run_id)
    tenant_id = TenantId(run.tenant_id)
    with open_scope(tenant=tenant_id, reason=_REASON):
        # Waits for a step that is being recorded.
        locked: ResearchRun = ResearchRun.objects.select_for_update(no_key=True).get(id=run.id)
        if locked.state in ENDED:
            raise RunError("research.has_ended")
        if locked.cancel_requested_at is None:
            ResearchRun.objects.filter(id=run.id).update(cancel_requested_at=timezone.now())
    _record(run, CANCEL_REQUESTED, {"steps": locked.steps})
    if locked.state != RunState.RUNNING:
        run_end(run.id, tenant_id, state=RunState.CANCELLED, stopped_by="cancelled", lease=None)
    return run_of(run_id)


def _record(run: ResearchRun, action: str, core: Mapping[str, Any]) -> None:
    record(
        action=action,
        core=dict(core),
        subject_type="research_run",
        subject_id=run.id,
        scopes=_scopes_held(run),
    )


def _scopes_held(run: ResearchRun) -> list[ScopeId]:
    return [scope for scope in map(ScopeId, run.scope_ids) if scope in current_scope().scope_ids]
