"""A question under way: what it may use, and what is checked again before its answer is recorded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final, TypeVar
from uuid import UUID

from apps.audit.models import Event, Outcome
from apps.corpus.kinds import Kind
from apps.corpus.providers.warming import require_warm
from apps.erasure.errors import ScopeClosedError
from apps.erasure.runs.closing import closed_among, require_open
from apps.errors import ApplicationError
from apps.intents.contracts import KindGrant, PolicySnapshot
from apps.intents.profile.means import DIRECT
from apps.intents.selectors import policy_in_force
from apps.retrieval.contracts import ContextBlock, GivenFilters, Question, ReadWith, SearchBounds
from apps.retrieval.errors import DocumentsGoneError, PolicyChangedError, QuestionError
from apps.retrieval.events import FAILED, REJECTED
from apps.retrieval.pipeline import FindResult, PipelineResult, ReadResult
from apps.retrieval.retrievers.documents import are_within_reach
from apps.retrieval.services.calls import CallLog, Deadline, RecordedCalls
from apps.retrieval.services.pinned import Pinned, PinnedGate
from apps.retrieval.services.recording import named_calls, question_digest
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stages.follow_ups.resolve import resolve
from apps.retrieval.trace import FusedRanking, OnStage
from apps.tenants.context import current_scope, record_separately
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant, scope_by_key, scopes_below
from apps.tenants.short_scopes import ShortScopes

_TRIES: Final = 3
ResultT = TypeVar("ResultT", PipelineResult, FindResult, ReadResult)
OnRecorded = Callable[[Event], None]


class _OutdatedError(Exception):
    """What was found may not be used any more, so the question is answered again.

    Args: again: the error that says so after the last try.
    """

    def __init__(self, again: ApplicationError) -> None:
        super().__init__(again)
        self.again = again


def _as_it_is(result: ResultT) -> ResultT:
    return result


def begin_asking(
    text: str,
    acting: ShortScopes,
    scopes: Sequence[str] | frozenset[ScopeId],
    *,
    given: GivenFilters,
    as_of: datetime | None = None,
    on_stage: OnStage | None = None,
    pinned: Pinned | None = None,
    research_mode: str | None = DIRECT,
    earlier: Sequence[str] = (),
) -> Asking:
    """Args: scopes: the keys of scopes, or all that are meant by their ids.
    research_mode: as Question has it; of a question that follows from another one, that one's.
    """
    acting.principal.require(Permission.QUESTION_ASK)
    with acting.open():
        wanted = scopes_open_still(scopes)
        profile = str(current_tenant().embedding_profile)
    require_warm(profile)
    narrowed = ShortScopes(principal=acting.principal, scope_ids=wanted, reason=acting.reason)
    question = Question(
        text=text,
        tenant_id=acting.tenant_id,
        scope_ids=tuple(sorted(wanted)),
        as_of=as_of,
        given=given,
        research_mode=pinned.research_mode if pinned else research_mode,
    )
    return Asking(scopes=narrowed, question=question, on_stage=on_stage, pinned=pinned, earlier=earlier)


def read_with(question: Question, earlier: Sequence[str], maximum_chars: int) -> Question:
    """Return the question as it is asked once it is read with the same person's earlier ones."""
    if not earlier:
        return question
    found = resolve(question.text, earlier, maximum_chars=maximum_chars)
    told = ReadWith(
        typed=question.text,
        asked_as=found.text if found.is_changed else None,
        sent=len(earlier),
        notes=found.notes,
    )
    return replace(question, text=found.text, read_with=told)


def scopes_open_still(scopes: Sequence[str] | frozenset[ScopeId]) -> frozenset[ScopeId]:
    """Return the scopes in which the question is asked, without those that are closed by an erasure.

    Raises: ScopeNotGrantedError, ScopeClosedError.
    Costs:  two queries.
    """
    keys = () if isinstance(scopes, frozenset) else tuple(scopes)
    wanted = scopes if isinstance(scopes, frozenset) else scopes_below(list(keys))
    closed = closed_among(wanted)
    if closed and (closed == wanted or any(ScopeId(scope_by_key(key).id) in closed for key in keys)):
        raise ScopeClosedError
    return wanted - closed


class Asking:
    """One question under way.

    scopes: those that the question searches; they narrow what the database permits, not only what the query asks for.
    calls: the requests that were sent to a model for it.
    question: as it came in, and once it is carried out, as it is read with the `earlier` ones.
    pinned: the bounds of a question that follows from another one.
    """

    def __init__(
        self,
        *,
        scopes: ShortScopes,
        question: Question,
        on_stage: OnStage | None,
        pinned: Pinned | None = None,
        earlier: Sequence[str] = (),
    ) -> None:
        self.scopes, self.question, self.on_stage, self.pinned = scopes, question, on_stage, pinned
        self.earlier = tuple(earlier)
        self.settings = StageSettings()
        self.calls = CallLog()

    def carry_out(
        self,
        way: Callable[..., ResultT],
        write: Callable[[ResultT], Event],
        on_recorded: OnRecorded | None,
        complete: Callable[[ResultT], ResultT] = _as_it_is,
    ) -> tuple[ResultT, Event]:
        """Answer the question or find its passages, as `way` says. If that fails, record that it was asked.

        Args: complete: adds to the result what the documents say that it stands on, in the scope that records it.
        """
        try:
            self.settings = stages_in_use()
            self.question = read_with(self.question, self.earlier, self.settings.question_maximum_chars)
            return self._carry_out(way, write, on_recorded, complete)
        except (QuestionError, ScopeClosedError) as error:
            self._record_failure(
                {
                    "action": REJECTED,
                    "core": {
                        "code": error.code,
                        "length_chars": len(self.question.text),
                        **named_calls(self.calls.event_ids),
                    },
                    "outcome": Outcome.REFUSED,
                }
            )
            raise
        except BaseException as error:
            self._record_failure(
                {
                    "action": FAILED,
                    "core": {"code": getattr(error, "code", type(error).__name__), **named_calls(self.calls.event_ids)},
                    "question": question_digest(self.question.text, self.scopes.tenant_id),
                    "outcome": Outcome.FAILED,
                }
            )
            raise

    def _carry_out(
        self,
        way: Callable[..., ResultT],
        write: Callable[[ResultT], Event],
        on_recorded: OnRecorded | None,
        complete: Callable[[ResultT], ResultT],
    ) -> tuple[ResultT, Event]:
        """Answer from what may be used until the answer is recorded; if that changes meanwhile, answer again."""
        deadline = Deadline(self.settings.question_deadline_seconds)
        for left in reversed(range(_TRIES)):
            try:
                policy, result = self._found(way, deadline)
                found = {hit.document_id for fused in result.trace.outputs(FusedRanking) for hit in fused.hits}
                with self.scopes.renewed().open():
                    grant = result.trace.output(KindGrant)
                    self._confirm(policy, found, grant.permitted if grant else ())
                    result = complete(result)
                    event = write(result)
                    if on_recorded:
                        on_recorded(event)
            except _OutdatedError as error:
                if not left:
                    raise error.again from None
            else:
                return result, event
        raise AssertionError("the last try returns or raises")

    def _found(self, way: Callable[..., ResultT], deadline: Deadline) -> tuple[PolicySnapshot, ResultT]:
        with self.scopes.open():
            policy = policy_in_force()
            calls = RecordedCalls(
                scopes=self.scopes,
                policy=policy,
                deadline=deadline,
                question=self.question.text,
                confirm=partial(self._confirm_context, policy),
                log=self.calls,
            )
            deps = dependencies_for(current_tenant(), policy, self.settings, scopes=self.scopes, calls=calls)
            if self.pinned is not None:
                deps = replace(deps, intents=PinnedGate(policy, self.pinned))
        result = way(self.question, deps=replace(deps, on_stage=self.on_stage))
        trace = replace(result.trace, calls=tuple(self.calls.ended), deadline=deadline.use())
        return policy, replace(result, trace=trace)

    def _confirm_context(self, policy: PolicySnapshot, context: ContextBlock | None) -> None:
        passages = context.passages if context else ()
        kinds = {Kind(each.chunk.document.kind) for each in passages}
        self._confirm(policy, {each.chunk.document.document_id for each in passages}, sorted(kinds))

    def _confirm(self, policy: PolicySnapshot, document_ids: Collection[UUID], kinds: Sequence[Kind]) -> None:
        """Require that all that the question stands on still holds, and keep removals waiting until the commit.

        A document holds no more if it was replaced, moved or filed under a kind that the question may not reach.

        Raises: PermissionDeniedError: who asks has lost the permission by now.
                ScopeClosedError: one of the question's scopes is being erased by now.
                _OutdatedError: another policy is in force, or a document may not be read any more.
        """
        current_scope().principal.require(Permission.QUESTION_ASK)
        require_open(self.question.scope_ids)
        if policy_in_force().version_id != policy.version_id:
            raise _OutdatedError(PolicyChangedError())
        reach = SearchBounds(
            tenant_id=self.question.tenant_id,
            scope_ids=self.question.scope_ids,
            kinds=tuple(kinds),
            as_of=self.question.as_of,
        )
        if not are_within_reach(document_ids, reach):
            raise _OutdatedError(DocumentsGoneError())

    def _record_failure(self, event: dict[str, object]) -> None:
        record_separately(
            tenant=self.scopes.tenant_id,
            scopes=self.scopes.scope_ids,
            # Who was erased while the model worked must not be named again.
            principal=self.scopes.principal_as_named_now(),
            reason=self.scopes.reason,
            event={**event, "scopes": self.question.scope_ids},
        )
