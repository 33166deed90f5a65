"""Carry out a run: one step after the other, each decided on from what was recorded before it.

A step finds in short transactions as the owner, with their grants, the policy and the documents of that moment; calls
a model outside of any; and is recorded in one transaction with its event. A worker that dies loses the step that it was
at.
"""

from __future__ import annotations

import logging
import time
import traceback
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.utils import timezone

from apps.corpus.providers.errors import WarmingUpError
from apps.erasure.errors import ScopeClosedError
from apps.erasure.runs.closing import closed_among, require_open
from apps.errors import ApplicationError
from apps.intents.selectors import policy_in_force
from apps.research.errors import StopError
from apps.research.models import ResearchRun, RunState, StepKind
from apps.research.runs.acting import Bounds, act_for, bounds_now, require_kept, require_mode_still, require_same
from apps.research.runs.answer import unasked, write_answer
from apps.research.runs.contracts import Budget, RunContent, SearchContent
from apps.research.runs.decision import Finish, ScoreRound, Search, decide
from apps.research.runs.given import given_filters
from apps.research.runs.limits import ATTEMPTS_MOST, LEASE_SECONDS, TURN_SECONDS, WAITING_SECONDS
from apps.research.runs.reading import Recorded, recorded
from apps.research.runs.recording import Allowed, StepFacts, run_end, step_record
from apps.research.runs.sealing import Sealer
from apps.retrieval.errors import DocumentsGoneError, PolicyChangedError, QuestionError
from apps.retrieval.kept.content import documents_of
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.ask import Asked
from apps.retrieval.services.following import ask_within
from apps.retrieval.services.recording import recorded_hits
from apps.tenants.context import current_scope
from apps.tenants.errors import InvalidKeyError, PermissionDeniedError, ScopeNotGrantedError, UnknownTenantError
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Heartbeat, Lease, LeaseLostError, claim, enqueue, holding
from apps.tenants.short_scopes import ShortScopes

logger = logging.getLogger("glassbox.research")

# What was found in the middle of a step, and is looked at again by the next try.
_CHANGED: Final = (
    DocumentsGoneError,
    PolicyChangedError,
    ScopeNotGrantedError,
    UnknownTenantError,
    InvalidKeyError,
    PermissionDeniedError,
    WarmingUpError,
)
_TRIES: Final = 5


class RunOutcome(StrEnum):
    NOT_CLAIMED = "not_claimed"
    GAVE_WAY = "gave_way"
    ENDED = "ended"
    LOST = "lost"


def run_carry_out(*, run_id: UUID, tenant_id: TenantId) -> RunOutcome:
    """Carry out a run to its end, or for a turn. This is safe to call twice, at once, and after a crash at any point.

    Returns: NOT_CLAIMED if another worker has it, or there is nothing to do; GAVE_WAY if its turn was over, and it
             waits for the next; LOST if another worker has taken it over.
    """
    lease = claim(ResearchRun, tenant_id=tenant_id, job_id=run_id, lease_s=LEASE_SECONDS)
    if lease is None:
        return RunOutcome.NOT_CLAIMED
    try:
        state, reason, code = _through(lease)
        if state is RunState.QUEUED:
            return RunOutcome.GAVE_WAY
        if state is not RunState.DONE:
            run_end(run_id, tenant_id, state=state, stopped_by=reason, code=code, lease=lease)
    except LeaseLostError:
        logger.warning("research %s was taken over", run_id)
        return RunOutcome.LOST
    return RunOutcome.ENDED


def _through(lease: Lease[ResearchRun]) -> tuple[RunState, str, str]:
    """Return how the run ends; QUEUED if it does not yet. An answer is recorded with its end; any other end is not.

    Raises: LeaseLostError.
    """
    if lease.attempts > ATTEMPTS_MOST:
        return RunState.FAILED, "worker_lost", "research.worker_lost"
    try:
        if not _Run(lease).through():
            return RunState.QUEUED, "", ""
    except LeaseLostError:
        raise
    except StopError as error:
        return RunState(error.data["state"]), str(error.data["reason"]), ""
    except ApplicationError as error:
        return RunState.FAILED, "failed", error.code
    except Exception as error:  # noqa: BLE001 - it is written down, without its message
        # The message is not logged, because a driver's or a parser's message may quote a question.
        crashed_at = "".join(traceback.format_tb(error.__traceback__))
        logger.error("research %s crashed: %s at\n%s", lease.job_id, type(error).__name__, crashed_at)  # noqa: TRY400
        return RunState.FAILED, "failed", "research.crashed"
    return RunState.DONE, "", ""


def _without_closed(acting: ShortScopes) -> ShortScopes:
    """Raises: ScopeClosedError: every scope is being erased."""
    with acting.open():
        closed = closed_among(acting.scope_ids)
    if closed == acting.scope_ids:
        raise ScopeClosedError
    return replace(acting, scope_ids=acting.scope_ids - closed)


class _Run:
    def __init__(self, lease: Lease[ResearchRun]) -> None:
        self._lease = lease
        self._tries = 0
        self._turn_ends = time.monotonic() + TURN_SECONDS

    def through(self) -> bool:
        """Return whether the last step was done. False: its turn is over, and it waits for the next."""
        while True:
            try:
                if self._step():
                    return True
                self._tries = 0
                if time.monotonic() >= self._turn_ends:
                    self._give_way()
                    return False
            except ScopeClosedError as error:
                raise StopError(state=RunState.STOPPED, reason="scopes_erased") from error
            except _CHANGED:
                self._tries += 1
                if self._tries >= _TRIES:
                    raise

    def _give_way(self) -> None:
        """Let a worker take what else waits, before it goes on with this."""
        with holding(self._lease) as run:
            Sealer.of(run).prolong(WAITING_SECONDS)
            ResearchRun.objects.filter(id=run.id).update(
                state=RunState.QUEUED,
                attempts=0,
                lease_owner="",
                lease_until=None,
                next_attempt_at=timezone.now() + ResearchRun.resend_after,
            )
            enqueue(run)

    def _step(self) -> bool:
        """Do what comes next; return whether that was the last step."""
        with holding(self._lease) as run:
            if run.cancel_requested_at is not None:
                raise StopError(state=RunState.CANCELLED, reason="cancelled")
            sealer = Sealer.of(run)
            content = sealer.open(RunContent, run)
        sealer.prolong()
        acting = _without_closed(act_for(run))
        with acting.open():
            bounds = bounds_now(run, content, acting)
            so_far = recorded(run, sealer, bounds.allowed.kinds)
        budget = Budget(
            rounds=run.rounds_most,
            confidence=run.confidence_wanted,
            searches=run.searches_most,
            tokens=run.tokens_most,
            seconds=run.seconds_most,
        )
        spent_up = (
            run.searches >= budget.searches or run.tokens >= budget.tokens or run.spent_ms >= budget.seconds * 1_000
        )
        following = decide(content.plan, budget, so_far.found, so_far.scored, spent_up=spent_up)
        match following:
            case Search():
                self._ask(run, content, acting, bounds, following)
            case ScoreRound():
                self._score(run, acting, bounds, so_far, following)
            case Finish():
                self._finish(run, content, acting, bounds, so_far, following)
                return True
        return False

    def _ask(self, run: ResearchRun, content: RunContent, acting: ShortScopes, bounds: Bounds, search: Search) -> None:
        def keep(asked: Asked) -> None:
            require_same(run, asked.grant)
            require_kept(run)
            require_mode_still(run)
            trace, answer = asked.result.trace, asked.result.answer
            hits = [each for each in recorded_hits(trace, answer.ref_ids) if each["in_context"]]
            found = SearchContent(key=search.cell.key, attempt=search.cell.attempt, text=asked.text, answer=answer)
            allowed = Allowed(
                scope_ids=tuple(current_scope().scope_ids),
                policy_version=asked.grant.policy_version,
                policy_version_id=asked.grant.policy_version_id,
                kinds=tuple(kind.value for kind in asked.grant.permitted),
                narrowed=bounds.allowed.narrowed,
            )
            facts = StepFacts(
                round=search.round,
                event_id=asked.event.id,
                document_ids=documents_of(answer, trace),
                passages=[
                    {
                        "chunk_id": each["chunk_id"],
                        "document_id": each["document_id"],
                        "kind": str(each["kind"]),
                        "rrf_score": each["rrf_score"],
                        "cited": each["cited"],
                    }
                    for each in hits
                ],
                outcome=answer.outcome.value,
                tokens=sum((call.input_tokens or 0) + (call.output_tokens or 0) for call in trace.calls),
                elapsed_ms=round(trace.elapsed_ms),
            )
            self._record(StepKind.SEARCH, allowed, facts, found)

        text, given = search.cell.text, given_filters(content.given)
        try:
            with Heartbeat(self._lease):
                ask_within(text=text, within=acting, given=given, pinned=bounds.pinned, on_answered=keep)
        except QuestionError as error:
            # One part that can't be asked leaves a gap, and the others their answers.
            facts = StepFacts(round=search.round, outcome=error.code)
            with acting.renewed().open():
                self._confirm(run, bounds, Recorded(found=(), scored=(), documents=frozenset()))
                self._record(StepKind.SEARCH, bounds.allowed, facts, unasked(search.cell, str(error)))

    def _score(
        self, run: ResearchRun, acting: ShortScopes, bounds: Bounds, so_far: Recorded, following: ScoreRound
    ) -> None:
        scored = following.content
        facts = StepFacts(
            round=scored.round,
            document_ids=so_far.documents,
            scores={each.name: each.value for each in scored.scores},
            outcome=scored.decision,
        )
        with acting.renewed().open():
            self._confirm(run, bounds, so_far)
            self._record(StepKind.SCORE, bounds.allowed, facts, scored, confidence=scored.confidence)

    def _finish(
        self,
        run: ResearchRun,
        content: RunContent,
        acting: ShortScopes,
        bounds: Bounds,
        so_far: Recorded,
        following: Finish,
    ) -> None:
        result = write_answer(content.plan, so_far.found, stopped_by=following.by)
        facts = StepFacts(
            round=run.rounds,
            document_ids=so_far.documents,
            scores={each.name: each.value for each in result.scores},
            outcome=following.by,
        )
        with acting.renewed().open():
            self._confirm(run, bounds, so_far)
            self._record(StepKind.RESULT, bounds.allowed, facts, result, confidence=result.confidence)
            run_end(run.id, self._lease.tenant_id, state=RunState.DONE, stopped_by=following.by, lease=self._lease)

    def _confirm(self, run: ResearchRun, bounds: Bounds, so_far: Recorded) -> None:
        """Require that what a step stands on still holds, and keep removals waiting until it is recorded.

        Raises: ScopeClosedError, PolicyChangedError, DocumentsGoneError.
        """
        require_open(tuple(current_scope().scope_ids))
        if policy_in_force().version_id != bounds.allowed.policy_version_id:
            raise PolicyChangedError
        if not may_be_read(so_far.documents):
            raise DocumentsGoneError

    def _record(self, kind: StepKind, allowed: Allowed, facts: StepFacts, content: object, **changes: Any) -> None:
        # A step that is recorded is progress: workers are counted anew.
        step_record(
            self._lease.job_id,
            self._lease.tenant_id,
            kind,
            allowed,
            facts,
            content,
            lease=self._lease,
            attempts=1,
            **changes,
        )
