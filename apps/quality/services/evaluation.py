"""Add and remove the tenant's own evaluation questions, each with its event."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction

from apps.audit.services import record
from apps.corpus.models import Document, DocumentStatus
from apps.erasure.holds.restrictions import restricted_among
from apps.erasure.runs.closing import require_open
from apps.quality.errors import EvaluationQuestionError
from apps.quality.events import EVALUATION_ADDED, EVALUATION_REMOVED
from apps.quality.models import EvaluationQuery
from apps.retrieval.services.recording import question_digest
from apps.retrieval.stages.question.validate import validate
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import Scope
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import scope_by_key, scopes_below


def evaluation_query_add(*, text: str, scope_key: str, document_id: UUID, pages: Sequence[int] = ()) -> EvaluationQuery:
    """Add a question with the document that answers it.

    Args:   text: the question, at most EvaluationQuery.MAXIMUM_CHARS.
            scope_key: where it is asked, with all scopes below; users who do not hold the scope do not see the
                question.
            document_id: any searchable version of the document.
            pages: from 1; empty if finding the document is enough.
    Raises: PermissionDeniedError, ScopeNotGrantedError, ScopeClosedError, QuestionError;
            EvaluationQuestionError: also where the document is not searchable, or may not be seen.
    """
    context = current_scope()
    context.principal.require(Permission.POLICY_EDIT)
    question = validate(text, maximum_chars=EvaluationQuery.MAXIMUM_CHARS)
    scope = scope_by_key(scope_key)
    require_open([ScopeId(scope.id)])
    document: Document | None = Document.objects.filter(id=document_id, status=DocumentStatus.READY).first()
    # Users who decide about privacy see a restricted document, but it is not searched for them either.
    if document is None or restricted_among([document_id]):
        raise EvaluationQuestionError("retrieval.expected_document_unknown", document=document_id)
    if ScopeId(document.scope_id) not in scopes_below([scope.key]):
        raise EvaluationQuestionError(
            "retrieval.expected_document_outside_scope",
            scope=scope.key,
            document_scope=Scope.objects.get(id=document.scope_id).key,
        )
    if beyond := [page for page in pages if page > document.page_count]:
        raise EvaluationQuestionError("retrieval.expected_pages_unknown", pages=document.page_count, page=beyond[0])
    with transaction.atomic():
        query, made = EvaluationQuery.objects.get_or_create(
            tenant_id=context.tenant_id,
            scope_id=scope.id,
            text=question,
            defaults={
                "series_id": document.series_id,
                "pages": sorted(set(pages)),
                "created_by": context.principal.label[:255],
            },
        )
        if not made:
            raise EvaluationQuestionError("retrieval.evaluation_question_taken", scope=scope.key)
        _record(EVALUATION_ADDED, query)
    found: EvaluationQuery = query
    return found


def evaluation_query_remove(query_id: UUID) -> None:
    """Remove a question permanently. Raises: PermissionDeniedError, EvaluationQuery.DoesNotExist."""
    current_scope().principal.require(Permission.POLICY_EDIT)
    with transaction.atomic():
        query: EvaluationQuery = EvaluationQuery.objects.select_for_update().get(id=query_id)
        _record(EVALUATION_REMOVED, query)
        query.delete()


def _record(action: str, query: EvaluationQuery) -> None:
    record(
        action=action,
        core={"series_id": str(query.series_id), "pages": list(query.pages)},
        question=question_digest(query.text),
        subject_type="evaluation_query",
        subject_id=query.id,
        scopes=[ScopeId(query.scope_id)],
    )
