"""One question, from the open scope to the recorded answer. The API, the admin and the shell all come through here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.audit.erasure.closing import closed_among, require_open
from apps.audit.erasure.errors import ScopeClosedError
from apps.audit.models import Event, Outcome
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import Question
from apps.retrieval.errors import DocumentsGoneError, QuestionError
from apps.retrieval.events import FAILED, REJECTED
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.services.recording import answer_record, question_digest
from apps.retrieval.services.wiring import dependencies_for
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import FusedRanking
from apps.tenants.context import current_scope, open_scope, record_failure
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant, scope_by_key, scopes_below

_TRIES: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An answer, how it came about, and the event that says so."""

    text: str
    result: PipelineResult
    decision: IntentDecision
    grant: KindGrant
    event: Event


def ask(*, text: str, scopes: Sequence[str] = ()) -> Asked:
    """Answer a question for the open scope's principal, and record it in the same transaction.

    Args:    text: the question.
             scopes: keys of scopes to stay within, with all below them; all that are granted when empty. Those that
                 are being erased, or were, are left out.
    Raises:  PermissionDeniedError, ScopeNotGrantedError; ScopeClosedError: a scope that is named, or all there are, is
             being erased.
             QuestionError: the text can't be read as a question; DocumentsGoneError: documents are being removed faster
             than it is answered. Recorded, though the request fails.
    """
    context = current_scope()
    context.principal.require(Permission.QUESTION_ASK)
    wanted = _open_still(scopes)
    # Narrower for the database too, not only for the query.
    with open_scope(
        tenant=context.tenant_id, scopes=wanted, principal=context.principal, reason=context.reason
    ) as narrowed:
        question = Question(text=text, tenant_id=narrowed.tenant_id, scope_ids=tuple(sorted(narrowed.scope_ids)))
        try:
            settings = stages_in_use()
            result = _answered(question, settings)
        except (QuestionError, ScopeClosedError) as error:
            record_failure(
                action=REJECTED,
                core={"code": error.code, "length_chars": len(text)},
                outcome=Outcome.REFUSED,
                scopes=narrowed.scope_ids,
            )
            raise
        except Exception as error:
            record_failure(
                action=FAILED,
                core={"code": getattr(error, "code", type(error).__name__)},
                question=question_digest(text),
                outcome=Outcome.FAILED,
                scopes=narrowed.scope_ids,
            )
            raise
        decision, grant = result.trace.output(IntentDecision), result.trace.output(KindGrant)
        if decision is None or grant is None:
            raise AssertionError("a question was answered without passing the gate")
        event = answer_record(text, result, decision, grant, settings)
    return Asked(text=text, result=result, decision=decision, grant=grant, event=event)


def _open_still(keys: Sequence[str]) -> frozenset[ScopeId]:
    """Where the question is asked. Raises: ScopeNotGrantedError, ScopeClosedError. Costs: two queries."""
    wanted = scopes_below(list(keys))
    closed = closed_among(wanted)
    if closed and (closed == wanted or any(ScopeId(scope_by_key(key).id) in closed for key in keys)):
        raise ScopeClosedError
    return wanted - closed


def _answered(question: Question, settings: StageSettings) -> PipelineResult:
    """The answer, found in documents that may be read still, and none of which a removal takes until it is recorded.

    A document that goes away while the question is answered from it is not quoted: the question is answered anew.

    Raises: QuestionError; DocumentsGoneError; ScopeClosedError: one of its scopes is being erased by now.
    """
    for _ in range(_TRIES):
        result = answer(question, deps=dependencies_for(current_tenant(), settings=settings))
        found = {hit.document_id for fused in result.trace.outputs(FusedRanking) for hit in fused.hits}
        require_open(question.scope_ids)
        if may_be_read(found):
            return result
    raise DocumentsGoneError
