"""Answer one question, from its text to the recorded answer, for the API, the admin and the shell alike.

No transaction is open while a model works. Each read opens the question's scopes for itself. Each request to a model is
recorded before it is sent. The answer is recorded in a last transaction, which first checks again what it stands on:
grants, policy, erasures and documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from apps.audit.models import Event
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import NO_FILTERS, GivenFilters, ReadWith
from apps.retrieval.kept.history import answer_keep
from apps.retrieval.pipeline import FindResult, PipelineResult, answer, find_to_show
from apps.retrieval.selectors.cited_records import with_cited_records
from apps.retrieval.services.asking import Asking, OnRecorded, begin_asking
from apps.retrieval.services.pinned import Pinned
from apps.retrieval.services.recording import answer_record, search_record
from apps.retrieval.trace import OnStage, ValidatedQuestion
from apps.tenants.principals import Principal
from apps.tenants.short_scopes import ShortScopes, current_short_scopes


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An answer, the trace that shows how it came about, and the event that records it.

    text: what was asked in the end; `read_with` says where that is not what was typed.
    """

    text: str
    result: PipelineResult
    decision: IntentDecision
    grant: KindGrant
    event: Event

    @property
    def read_with(self) -> ReadWith | None:
        validated = self.result.trace.output(ValidatedQuestion)
        return validated.read_with if validated else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a question would be answered from, how it was found, and the event that records the search."""

    text: str
    result: FindResult
    event: Event


def ask(
    *,
    text: str,
    scopes: Sequence[str] = (),
    given: GivenFilters = NO_FILTERS,
    as_of: datetime | None = None,
    earlier: Sequence[str] = (),
    principal: Principal | None = None,
    reason: str = "",
    on_recorded: OnRecorded | None = None,
    on_stage: OnStage | None = None,
) -> Asked:
    """Answer a question and record it. Call it outside of any scope: a scope would stay open while a model works.

    Args:    text: the question.
             scopes: keys of the scopes to search, each with all scopes below it; if empty, all granted scopes. Scopes
                 that are being erased, or were erased, are left out.
             given: filters that came beside the text; they narrow the search and are never relaxed.
             as_of: search the document versions that were current then (aware); None for now.
             earlier: the person's own questions before it, the latest last. What the question leaves out is taken from
                 them, and what is asked then is a question as any other.
             principal: who asks; None for the principal of the open scope.
             reason: why the system asks.
             on_recorded: called with the event in the transaction that records the answer.
             on_stage: told of each stage that has ended; it must not raise. A question that is answered anew, because
                 the policy or a document changed meanwhile, begins with the first stage again.
    Raises:  WarmingUpError: this process still loads its model; ask again in a moment. Nothing is recorded.
             PermissionDeniedError, ScopeNotGrantedError.
             ScopeClosedError: a scope that `scopes` names, or every scope, is being erased.
             QuestionError: the text cannot be read as a question. Recorded, although the request fails.
             DocumentsGoneError, PolicyChangedError: documents are removed, or policies approved, faster than the
                 question can be answered. Recorded, although the request fails.
             UnknownTenantError, InvalidKeyError: the principal lost its access meanwhile. Recorded, as is the loss of
                 the permission or of a scope.
    """
    asking = _begin(text, scopes, given, as_of, principal, reason, on_stage, earlier=earlier)

    def write(result: PipelineResult) -> Event:
        decision, grant = decided(result)
        text = asking.question.text
        event = answer_record(text, result, decision, grant, asking.settings, asking.calls.event_ids)
        answer_keep(event, text=text, answer=result.answer, trace=result.trace, decision=decision, grant=grant)
        return event

    result, event = asking.carry_out(answer, write, on_recorded, complete=with_records)
    decision, grant = decided(result)
    return Asked(text=asking.question.text, result=result, decision=decision, grant=grant, event=event)


def search(
    *,
    text: str,
    scopes: Sequence[str] = (),
    given: GivenFilters = NO_FILTERS,
    as_of: datetime | None = None,
    principal: Principal | None = None,
    reason: str = "",
    on_recorded: OnRecorded | None = None,
    pinned: Pinned | None = None,
) -> Searched:
    """Find what a question would be answered from, and record it. Take the same steps as `ask`, but write no answer.

    Args, Raises: as `ask`. pinned: the bounds of a question that is part of something classified already.
    """
    asking = _begin(text, scopes, given, as_of, principal, reason, pinned=pinned)

    def write(result: FindResult) -> Event:
        return search_record(text, result, asking.settings, asking.calls.event_ids)

    result, event = asking.carry_out(find_to_show, write, on_recorded)
    return Searched(text=text, result=result, event=event)


def with_records(result: PipelineResult) -> PipelineResult:
    return replace(result, answer=with_cited_records(result.answer))


def decided(result: PipelineResult) -> tuple[IntentDecision, KindGrant]:
    decision, grant = result.trace.output(IntentDecision), result.trace.output(KindGrant)
    if decision is None or grant is None:
        raise AssertionError("a question was answered without passing the gate")
    return decision, grant


def _begin(
    text: str,
    scopes: Sequence[str],
    given: GivenFilters,
    as_of: datetime | None,
    principal: Principal | None,
    reason: str,
    on_stage: OnStage | None = None,
    pinned: Pinned | None = None,
    earlier: Sequence[str] = (),
) -> Asking:
    if principal is None:
        acting = current_short_scopes()
    else:
        acting = ShortScopes(principal=principal, scope_ids=principal.scope_ids, reason=reason)
    return begin_asking(
        text, acting, scopes, given=given, as_of=as_of, on_stage=on_stage, pinned=pinned, earlier=earlier
    )
