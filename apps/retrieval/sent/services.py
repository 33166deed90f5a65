"""Send a question that got no answer to the officers, take it back, and decide on it."""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.audit.digests import keyed_digest
from apps.audit.ids import new_id
from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.audit.services import record
from apps.intents.models import GoldenExample
from apps.intents.validation import example_key
from apps.retrieval.errors import SendingError
from apps.retrieval.events import ANSWERED, SENT, SENT_DECIDED, TAKEN_BACK
from apps.retrieval.kept.sealing import seal_for
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.selectors.own_questions import own_question
from apps.retrieval.sent.content import REPLY, content_of, content_to_send
from apps.retrieval.sent.flow import SENT_QUESTIONS
from apps.tenants.context import current_scope, open_scope
from apps.tenants.flows.checks import require_permission
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.notices import write_to_deciders, write_to_member
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant

LONGEST_NOTE: Final = 1_000
LONGEST_REPLY: Final = 4_000
KEPT_AFTER_DECISION: Final = timedelta(days=90)
_REASON: Final = "questions that were sent to the officers were decided on long ago"


def may_be_sent(event: Event, answer: Mapping[str, Any]) -> bool:
    """Return whether the question got no answer, so that an officer may have something to say to it.

    Args: answer: the event's group of that name. Where it is there and tells of no grounding, nothing was claimed: the
        question was refused, or the closest passages were quoted.
    """
    return event.action == ANSWERED and (event.outcome == Outcome.REFUSED or answer.get("grounding") == "")


@transaction.atomic
def question_send(event_id: UUID, *, text: str, note: str, consent: bool) -> SentQuestion:
    """Send one's own question to the officers who hold its scopes.

    Args:   text: the question as it was asked: the log has only a digest of most, and it is compared with that.
            consent: the asker agrees that its text is kept for them.
    Raises: PermissionDeniedError.
            SendingError: it is not one's own or not a person's, was answered, is another text, or was sent before; the
            note is too long; the asker does not agree.
    """
    principal = current_scope().principal
    principal.require(Permission.QUESTION_ASK)
    event = own_question(principal, event_id)
    if event is None or principal.kind is not PrincipalKind.USER:
        raise SendingError("retrieval.sent_unknown")
    payload = readings_of([event], groups=(Group.CORE, Group.QUESTION, Group.ANSWER))[event.id].payload
    if not may_be_sent(event, payload.get(Group.ANSWER, {})):
        raise SendingError("retrieval.sent_answered")
    if not consent:
        raise SendingError("retrieval.sent_without_consent")
    if len(note) > LONGEST_NOTE:
        raise SendingError("retrieval.sent_note_too_long", maximum_chars=LONGEST_NOTE)
    asked = _as_asked(text, payload.get(Group.QUESTION, {}))
    content = content_to_send(asked, note.strip(), principal.label, payload)
    row = _insert(event, content.as_bytes())
    _record(SENT, row)
    write_to_deciders(
        permission=Permission.POLICY_EDIT,
        author_id=principal.id,
        subject=f"A question in {current_tenant().name} waits for an officer",
        body="Somebody got no answer and asks an officer.\n\nSign in, and open Policy, Sent to officers.\n",
    )
    return row


@transaction.atomic
def question_take_back(event_id: UUID) -> None:
    """Withdraw one's consent: what was sent is removed, with the reply. Raises: SendingError."""
    principal = current_scope().principal
    row: SentQuestion | None = SentQuestion.objects.filter(event_id=event_id, asker_id=principal.id).first()
    if row is None:
        raise SendingError("retrieval.sent_unknown")
    _record(TAKEN_BACK, row)
    row.delete()


@transaction.atomic
def question_decide(id: UUID, *, decision: SentState, reply: str) -> SentQuestion:
    """Decide on a question that was sent, as an officer of its scopes.

    Raises: PermissionDeniedError.
            SendingError: there is none that one may see, it is decided on already, the reply is missing or too long, or
            no draft or version has it as an example.
    """
    principal = require_permission(SENT_QUESTIONS, decision.value)
    row: SentQuestion | None = SentQuestion.objects.select_for_update().filter(id=id).first()
    if row is None:
        raise SendingError("retrieval.sent_unknown")
    if SENT_QUESTIONS.refusal(row, decision.value, person=principal.id, may=principal.may) is not None:
        raise SendingError("retrieval.sent_decided")
    said = reply.strip()
    if len(said) > LONGEST_REPLY:
        raise SendingError("retrieval.sent_reply_too_long", maximum_chars=LONGEST_REPLY)
    if decision is SentState.ANSWERED and not said:
        raise SendingError("retrieval.sent_reply_missing")
    if decision is SentState.EXAMPLE and not _is_example(content_of(row).question):
        raise SendingError("retrieval.sent_no_example")
    row.state, row.decided_by_id, row.decided_at = decision, principal.id, timezone.now()
    if said:
        sealed = seal_for(row.id, said.encode(), tenant=current_scope().tenant_id, part=REPLY)
        row.reply_key_id, row.reply_sealed = sealed.data_key_id, sealed.ciphertext
    row.save(update_fields=["state", "decided_by_id", "decided_at", "reply_key_id", "reply_sealed"])
    _record(SENT_DECIDED, row, decision=decision.value)
    if row.asker_id != principal.id:
        write_to_member(
            row.asker_id,
            subject=f"An officer has decided on a question that you sent in {current_tenant().name}",
            body="Sign in, and open Ask, My questions.\n",
        )
    return row


def forget_decided(tenant_id: TenantId) -> int:
    """Remove what was decided on more than 90 days ago. Returns: how many questions were removed."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        over = SentQuestion.objects.filter(decided_at__lte=timezone.now() - KEPT_AFTER_DECISION)
        removed, _ = over.delete()
    return removed


def _insert(event: Event, content: bytes) -> SentQuestion:
    id, tenant_id = new_id(), current_scope().tenant_id
    sealed = seal_for(id, content, tenant=tenant_id)
    try:
        with transaction.atomic():
            made: SentQuestion = SentQuestion.objects.create(
                id=id,
                tenant_id=tenant_id,
                scope_ids=list(event.scope_ids),
                event_id=event.id,
                asker_id=current_scope().principal.id,
                data_key_id=sealed.data_key_id,
                sealed=sealed.ciphertext,
            )
    except IntegrityError:
        raise SendingError("retrieval.sent_before") from None
    return made


def _as_asked(text: str, recorded: object) -> str:
    """Return the text as it was asked; a form writes ends of lines in its own way. Raises: SendingError."""
    question = recorded if isinstance(recorded, dict) else {}
    digest, period = str(question.get("hmac_sha256", "")), str(question.get("key_epoch", ""))
    for each in (text, text.replace("\r\n", "\n")):
        if hmac.compare_digest(keyed_digest(each, tenant=current_scope().tenant_id, epoch=period), digest):
            return each
    raise SendingError("retrieval.sent_other_text")


def _is_example(question: str) -> bool:
    key = example_key(question)
    return any(example_key(text) == key for text in GoldenExample.objects.values_list("text", flat=True))


def _record(action: str, row: SentQuestion, **core: str) -> None:
    record(
        action=action,
        core={"event_id": str(row.event_id), **core},
        subject_type="sent_question",
        subject_id=row.id,
        scopes=[ScopeId(each) for each in row.scope_ids],
    )
