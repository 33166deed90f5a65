"""What is kept for a person: an answer, a question sent to the officers, research; none of it was asked."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID, uuid4

from django.utils import timezone

from apps.audit.ids import new_id
from apps.intents.contracts import IntentDecision
from apps.intents.selectors import policy_in_force
from apps.research.models import ResearchRun, ResearchStep, RunMode, StepKind
from apps.research.runs.contracts import GivenBounds, Plan, RunContent, SubQuestion
from apps.research.runs.sealing import Sealer, columns_of
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


def run_content_of(question: str) -> RunContent:
    decision = IntentDecision(
        intent="",
        label="Unrecognised",
        recognised=False,
        score=0.0,
        margin=0.0,
        reason="",
        nearest=(),
        matched_terms=(),
        set_aside=(),
        degraded=False,
    )
    plan = Plan(
        topic=question,
        question_type="description",
        language="en",
        companies=(),
        periods_said=(),
        parts=(question,),
        needed=(),
        withheld=(),
        suggested_mode="direct",
        confidence=0,
        phrases=(),
        sub_questions=(SubQuestion(key="whole", text=question),),
        steps=("Ask 1 question.",),
    )
    return RunContent(question=question, decision=decision, given=GivenBounds(), plan=plan)


def keep_research(
    principal: Principal, question: str, *, scope_ids: Iterable[UUID], document_ids: Iterable[UUID] = ()
) -> UUID:
    """Return the id of a run whose first step names the documents; its texts are kept."""
    id, step_id, tenant = new_id(), new_id(), principal.tenant_id
    sealer = Sealer(tenant=tenant, run_id=id, kept=True)
    with open_scope(tenant=tenant, reason="a test"):
        policy = policy_in_force()
        shared = {
            "tenant_id": tenant,
            "scope_ids": sorted(scope_ids),
            "owner_id": principal.id,
            "policy_version": policy.number,
            "policy_version_id": policy.version_id,
        }
        ResearchRun.objects.create(
            id=id,
            **shared,
            event_id=new_id(),
            mode=RunMode.DIRECT,
            state="planned",
            recording_mode="encrypted_text",
            rounds_most=2,
            confidence_wanted=70,
            searches_most=4,
            tokens_most=1_000,
            seconds_most=60,
            expires_at=timezone.now() + timedelta(days=30),
            **columns_of(sealer.seal(id, run_content_of(question))),
        )
        ResearchStep.objects.create(
            id=step_id,
            **shared,
            run_id=id,
            ordinal=1,
            kind=StepKind.ANALYSIS,
            document_ids=sorted(document_ids),
            **columns_of(sealer.seal(step_id, run_content_of(question).plan)),
        )
        ResearchRun.objects.filter(id=id).update(steps=1)
    return id
