"""A person's history, where the policy keeps one: kept with the answer, shared by the asker, removed in time."""

from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.services import record
from apps.intents.contracts import IntentDecision, KindGrant
from apps.intents.selectors import policy_in_force
from apps.retrieval.contracts import Answer
from apps.retrieval.errors import AnswerNotKeptError
from apps.retrieval.events import SHARED, UNSHARED
from apps.retrieval.kept.content import AnswerContent, answer_content, content_from_bytes, documents_of
from apps.retrieval.kept.sealing import SealedText, seal_for, unseal
from apps.retrieval.models import KeptAnswer
from apps.retrieval.retrievers.documents import readable_among
from apps.retrieval.trace import Trace
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission

_REASON: Final = "answers that were kept for who asked have expired"


def answer_keep(
    event: Event, *, text: str, answer: Answer, trace: Trace, decision: IntentDecision, grant: KindGrant
) -> None:
    """Keep the answer for the person who asked, if the policy says so, in the transaction that records it.

    Nothing is kept for an API key of the tenant: it is nobody's history. Costs: two queries.
    """
    principal = current_scope().principal
    days = policy_in_force().retrieval.history_days
    if principal.kind is not PrincipalKind.USER or not days:
        return
    content = answer_content(text, answer, trace, decision, grant)
    sealed = seal_for(event.id, content.as_bytes(), tenant=current_scope().tenant_id)
    KeptAnswer.objects.create(
        id=event.id,
        tenant_id=current_scope().tenant_id,
        scope_ids=list(event.scope_ids),
        document_ids=sorted(documents_of(answer, trace)),
        asker_id=principal.id,
        data_key_id=sealed.data_key_id,
        sealed=sealed.ciphertext,
        expires_at=timezone.now() + timedelta(days=days),
    )


def kept_answer(id: UUID) -> KeptAnswer | None:
    """Return the answer if it is one's own or was shared with whoever holds its scopes: the database decides."""
    found: KeptAnswer | None = KeptAnswer.objects.filter(id=id, expires_at__gt=timezone.now()).first()
    return found


def kept_among(ids: Collection[UUID], *, asker_id: UUID) -> dict[UUID, AnswerContent]:
    """Return what is kept of these questions of the person's own, by id, while all that it rests on may be read.

    Costs: three queries; one more for each where a document may not be read.
    """
    rows = KeptAnswer.objects.filter(id__in=ids, asker_id=asker_id, expires_at__gt=timezone.now())
    return {row.id: content_of(row) for row in readable_among(list(rows))}


def content_of(row: KeptAnswer) -> AnswerContent:
    """Raises: PayloadDamagedError."""
    sealed = SealedText(data_key_id=row.data_key_id, ciphertext=bytes(row.sealed))
    return content_from_bytes(unseal(row.id, sealed, tenant=row.tenant_id))


@transaction.atomic
def answer_share(id: UUID, *, shared: bool) -> None:
    """Let whoever holds the scopes of one's own answer read it, or let nobody else read it any more.

    Raises: PermissionDeniedError, AnswerNotKeptError.
    """
    principal = current_scope().principal
    principal.require(Permission.QUESTION_ASK)
    own = KeptAnswer.objects.filter(id=id, asker_id=principal.id, expires_at__gt=timezone.now())
    row: KeptAnswer | None = own.select_for_update().first()
    if row is None:
        raise AnswerNotKeptError
    if shared == (row.shared_at is not None):
        return
    row.shared_at = timezone.now() if shared else None
    row.save(update_fields=["shared_at"])
    record(
        action=SHARED if shared else UNSHARED,
        core={"event_id": str(id)},
        subject_type="event",
        subject_id=id,
        scopes=[ScopeId(each) for each in row.scope_ids],
    )


def forget_tenant(tenant_id: TenantId) -> int:
    """Remove what has expired in one tenant. Returns: how many answers were removed."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        removed, _ = KeptAnswer.objects.filter(expires_at__lte=timezone.now()).delete()
    return removed
