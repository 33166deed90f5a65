"""Answer one question, from the open scope to the recorded answer, for the API, the admin and the shell alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeVar

from apps.audit.models import Event, Outcome
from apps.erasure.errors import ScopeClosedError
from apps.erasure.runs.closing import closed_among, require_open
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import NO_FILTERS, GivenFilters, Question
from apps.retrieval.errors import DocumentsGoneError, QuestionError
from apps.retrieval.events import FAILED, REJECTED
from apps.retrieval.pipeline import FindResult, PipelineResult, answer, find
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.recording import answer_record, question_digest, search_record
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import FusedRanking
from apps.tenants.context import ScopeContext, current_scope, open_scope, record_failure
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant, scope_by_key, scopes_below

_TRIES: Final = 3
ResultT = TypeVar("ResultT", PipelineResult, FindResult)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An answer, the trace that shows how it came about, and the event that records it."""

    text: str
    result: PipelineResult
    decision: IntentDecision
    grant: KindGrant
    event: Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """What a question would be answered from, how it was found, and the event that records the search."""

    text: str
    result: FindResult
    event: Event


def ask(
    *, text: str, scopes: Sequence[str] = (), given: GivenFilters = NO_FILTERS, as_of: datetime | None = None
) -> Asked:
    """Answer a question for the open scope's principal, and record it in the same transaction.

    Args:    text: the question.
             scopes: keys of the scopes to search, each with all scopes below it; if empty, all granted scopes. Scopes
                 that are being erased, or were erased, are left out.
             given: filters that came beside the text; they narrow the search and are never relaxed.
             as_of: search the document versions that were current then (aware); None for now.
    Raises:  PermissionDeniedError, ScopeNotGrantedError.
             ScopeClosedError: a scope that `scopes` names, or every scope, is being erased.
             QuestionError: the text cannot be read as a question. Recorded, although the request fails.
             DocumentsGoneError: documents are being removed faster than the question can be answered. Recorded,
                 although the request fails.
    """
    with _open_question_scope(scopes) as narrowed:
        question = _question(narrowed, text, given, as_of)
        settings, result = _carry_out(question, answer)
        decision, grant = result.trace.output(IntentDecision), result.trace.output(KindGrant)
        if decision is None or grant is None:
            raise AssertionError("a question was answered without passing the gate")
        event = answer_record(text, result, decision, grant, settings)
    return Asked(text=text, result=result, decision=decision, grant=grant, event=event)


def search(
    *, text: str, scopes: Sequence[str] = (), given: GivenFilters = NO_FILTERS, as_of: datetime | None = None
) -> Searched:
    """Find what a question would be answered from, and record it. Take the same steps as `ask`, but write no answer.

    Args, Raises: as `ask`.
    """
    with _open_question_scope(scopes) as narrowed:
        question = _question(narrowed, text, given, as_of)
        settings, result = _carry_out(question, find)
        event = search_record(text, result, settings)
    return Searched(text=text, result=result, event=event)


@contextmanager
def _open_question_scope(scopes: Sequence[str]) -> Iterator[ScopeContext]:
    """Open the scope of the question. It narrows what the database permits, and not only what the query asks for."""
    context = current_scope()
    context.principal.require(Permission.QUESTION_ASK)
    wanted = _open_still(scopes)
    with open_scope(
        tenant=context.tenant_id, scopes=wanted, principal=context.principal, reason=context.reason
    ) as narrowed:
        yield narrowed


def _question(narrowed: ScopeContext, text: str, given: GivenFilters, as_of: datetime | None) -> Question:
    return Question(
        text=text,
        tenant_id=narrowed.tenant_id,
        scope_ids=tuple(sorted(narrowed.scope_ids)),
        as_of=as_of,
        given=given,
    )


def _carry_out(question: Question, way: Callable[..., ResultT]) -> tuple[StageSettings, ResultT]:
    """Answer the question or find its passages, as `way` says. If that fails, record that the question was asked."""
    try:
        settings = stages_in_use()
        return settings, _answer_from_readable(question, way, settings)
    except (QuestionError, ScopeClosedError) as error:
        record_failure(
            action=REJECTED,
            core={"code": error.code, "length_chars": len(question.text)},
            outcome=Outcome.REFUSED,
            scopes=question.scope_ids,
        )
        raise
    except Exception as error:
        record_failure(
            action=FAILED,
            core={"code": getattr(error, "code", type(error).__name__)},
            question=question_digest(question.text),
            outcome=Outcome.FAILED,
            scopes=question.scope_ids,
        )
        raise


def _open_still(keys: Sequence[str]) -> frozenset[ScopeId]:
    """Return the scopes in which the question is asked, without those that are closed by an erasure.

    Raises: ScopeNotGrantedError, ScopeClosedError.
    Costs:  two queries.
    """
    wanted = scopes_below(list(keys))
    closed = closed_among(wanted)
    if closed and (closed == wanted or any(ScopeId(scope_by_key(key).id) in closed for key in keys)):
        raise ScopeClosedError
    return wanted - closed


def _answer_from_readable(question: Question, way: Callable[..., ResultT], settings: StageSettings) -> ResultT:
    """Return a result whose documents may all still be read, and keep removals waiting until it is recorded.

    If a document is removed while the question is being answered from it, the document is not quoted: the question is
    answered again.

    Raises: QuestionError.
            DocumentsGoneError: documents were removed in each of the tries.
            ScopeClosedError: one of the question's scopes is being erased by now.
    """
    for _ in range(_TRIES):
        result = way(question, deps=dependencies_for(current_tenant(), settings=settings))
        found = {hit.document_id for fused in result.trace.outputs(FusedRanking) for hit in fused.hits}
        require_open(question.scope_ids)
        if may_be_read(found):
            return result
    raise DocumentsGoneError
