"""An answer in the history of a person, and a question sent to the officers, without a question that was asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from apps.audit.ids import new_id
from apps.retrieval.contracts import Answer
from apps.retrieval.kept.content import AnswerContent
from apps.retrieval.kept.sealing import seal_for
from apps.retrieval.models import KeptAnswer, SentQuestion
from apps.retrieval.sent.content import SentContent
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal


def answer_content_of(question: str) -> AnswerContent:
    return AnswerContent(
        question=question,
        answer=Answer(text="A fund.", ref_ids=(), citations=(), grounding=None, generator="extractive", model=""),
        intent="Performance",
        policy_version=1,
        policy_version_id=uuid4(),
        recording_mode="hash_only",
        elapsed_ms=1.0,
    )


def keep_answer(
    principal: Principal, question: str, *, scope_ids: Iterable[UUID], document_ids: Iterable[UUID] = ()
) -> UUID:
    """Return its id."""
    id, tenant = new_id(), principal.tenant_id
    with open_scope(tenant=tenant, principal=principal):
        sealed = seal_for(id, answer_content_of(question).as_bytes(), tenant=tenant)
        KeptAnswer.objects.create(
            id=id,
            tenant_id=tenant,
            scope_ids=list(scope_ids),
            document_ids=list(document_ids),
            asker_id=principal.id,
            data_key_id=sealed.data_key_id,
            sealed=sealed.ciphertext,
            expires_at=timezone.now() + timedelta(days=30),
        )
    return id


def send_question(principal: Principal, question: str, *, scope_ids: Iterable[UUID]) -> UUID:
    """Return its id."""
    id, tenant = new_id(), principal.tenant_id
    content = SentContent(
        question=question,
        note="",
        asker=principal.label,
        intent="performance",
        policy_version=1,
        refusal="not_in_context",
        withheld=(),
    )
    with open_scope(tenant=tenant, principal=principal):
        sealed = seal_for(id, content.as_bytes(), tenant=tenant)
        SentQuestion.objects.create(
            id=id,
            tenant_id=tenant,
            scope_ids=list(scope_ids),
            event_id=new_id(),
            asker_id=principal.id,
            data_key_id=sealed.data_key_id,
            sealed=sealed.ciphertext,
        )
    return id
