"""Write letters to the requester, in the transaction of the step that they report. sending.py sends them later."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from functools import partial
from typing import Final
from uuid import UUID

from celery.exceptions import OperationalError as CeleryError
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.audit.ids import new_id
from apps.erasure.contracts import TargetType
from apps.erasure.models import RemovalRun, RemovalTarget, TargetOutcome
from apps.erasure.runs.staying import EXPIRES
from apps.privacy.codes.inventory import Treatment
from apps.privacy.codes.life import RequestState, label_of
from apps.privacy.codes.requests import Delivery, Language, LetterKind, LetterState, Refusal
from apps.privacy.models import AccessPackage, ErasureRequest, InventoryTreatment, Letter
from apps.privacy.requests.deadlines import extended_deadline
from apps.privacy.requests.details import LetterText, known_details, sealed_letter
from apps.privacy.requests.errors import LetterUnaddressedError, RequestError
from apps.privacy.requests.events import tell_letter
from apps.privacy.requests.letters import Facts, Package, Removed, written
from apps.privacy.requests.services.forgetting import forget_once_told
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.tenants.selectors.tenants import current_tenant
from config.celery import app

SEND_TASK: Final = "apps.privacy.tasks.send_letter"
_DONE: Final = (RequestState.COMPLETED, RequestState.PARTIALLY_COMPLETED)
# Letters that belong to no step, and the states in which they are true. Other letters are sent with the step that they
# report.
_BY_ITSELF: Final = {
    LetterKind.RECEIVED: frozenset(RequestState) - {RequestState.REFUSED, RequestState.WITHDRAWN, *_DONE},
    LetterKind.DONE: frozenset(_DONE),
}
_SETTLED_BY_HAND: Final = (LetterState.TO_POST, LetterState.WAITING, LetterState.FAILED, LetterState.UNCERTAIN)


def may_be_written(request: ErasureRequest, kind: LetterKind) -> bool:
    """Return whether a letter of this kind can be sent now without a step."""
    return RequestState(request.state) in _BY_ITSELF.get(kind, frozenset())


def letter_draft(
    request: ErasureRequest, kind: LetterKind, *, words: str = "", refusal: Refusal | None = None
) -> LetterText:
    """Return the filled-in template for a person to read and change. Stores nothing."""
    details = known_details(request)
    language = Language(request.language)
    facts = Facts(
        firm=current_tenant().name,
        reference=request.reference,
        name=details.requester_name,
        received_on=request.received_on,
        due_on=request.due_on,
        extended_due_on=extended_deadline(request.received_on).due_on,
        words=words,
        refusal=refusal or (Refusal(request.refusal) if request.refusal else None),
        partial=request.state == RequestState.PARTIALLY_COMPLETED,
        removed=removed_of(request) if kind is LetterKind.DONE and not request.is_access else None,
        is_access=request.is_access,
        package=_package_of(request) if kind is LetterKind.DONE and request.is_access else None,
        stays=_stays(request) if kind is LetterKind.DONE else 0,
        backups_until=_backups_until(request),
    )
    subject, body = written(kind, language, facts)
    return LetterText(subject=subject, body=body)


def _backups_until(request: ErasureRequest) -> date | None:
    """Return the date that the certificate gives; None for an unfinished request or without a set backup retention."""
    days: int = settings.GLASSBOX_BACKUP_RETENTION_DAYS
    return (request.finished_at + timedelta(days=days)).date() if request.finished_at and days else None


def removed_of(request: ErasureRequest) -> Removed:
    """Return how much the run of a request removed. Costs: two queries."""
    gone = RemovalTarget.objects.filter(run_id=request.run_id, outcome=TargetOutcome.REMOVED)
    rows = list(gone.values_list("type", "item_id"))
    counts = Counter(type for type, _ in rows)
    documents = {id for type, id in rows if type == TargetType.DOCUMENT}
    redacted = InventoryTreatment.objects.filter(
        request=request, treatment=Treatment.REDACT, redacted_id__isnull=False, document_id__in=documents
    )
    return Removed(
        documents=len(documents),
        redacted=redacted.count(),
        parts=len({id for type, id in rows if type == TargetType.EVENT_GROUP}),
        accounts=counts[TargetType.USER],
    )


def _package_of(request: ErasureRequest) -> Package | None:
    made = AccessPackage.objects.filter(request=request).values_list("places", "quoted", "hidden").first()
    return None if made is None else Package(places=made[0], left_out=made[0] - made[1], hidden=made[2])


def _stays(request: ErasureRequest) -> int:
    """Count the places that must stay by law. Places that expire by themselves within a day are not counted."""
    run: RemovalRun | None = RemovalRun.objects.filter(id=request.run_id).first()
    return sum(each["places"] for each in run.staying if each["ground"] != EXPIRES) if run else 0


def letter_write(
    request_id: UUID, kind: LetterKind, *, text: LetterText | None = None, delivery: Delivery | None = None
) -> Letter:
    """Write a letter that belongs to no step: that the request was received, or that it was carried out.

    Raises: RequestError: the letter would not be true now; LetterUnaddressedError.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        if not may_be_written(request, kind):
            state = label_of(RequestState(request.state), is_access=request.is_access)
            raise RequestError("audit.letter_kind", reference=request.reference, kind=kind.value, state=state)
        return queue_letter(request, kind, text=text, delivery=delivery)


def queue_letter(
    request: ErasureRequest,
    kind: LetterKind,
    *,
    words: str = "",
    text: LetterText | None = None,
    delivery: Delivery | None = None,
) -> Letter:
    """Queue a letter in the open transaction. It is sent only if the transaction commits.

    Args:   text: the letter as a person wrote it; by default the filled-in template. The address is always the one in
                the request.
            delivery: by default e-mail where the request has an e-mail address, otherwise post.
    Raises: LetterUnaddressedError.
    """
    details = known_details(request)
    by = delivery or (Delivery.EMAIL if details.requester_email else Delivery.POST)
    if by is Delivery.EMAIL and not details.requester_email:
        raise LetterUnaddressedError
    said = text or letter_draft(request, kind, words=words)
    address = details.requester_email if by is Delivery.EMAIL else details.requester_address
    id = new_id()
    letter: Letter = Letter.objects.create(
        id=id,
        tenant_id=request.tenant_id,
        request=request,
        kind=kind.value,
        language=request.language,
        delivery=by.value,
        state=(LetterState.WAITING if by is Delivery.EMAIL else LetterState.TO_POST).value,
        # Keep the subject on one line: a line break would start another mail header.
        ciphertext=sealed_letter(
            request,
            LetterText(to=address, subject=" ".join(said.subject.split()), body=said.body),
            letter_id=id,
        ),
        written_by_id=require_manager(),
        next_try_at=timezone.now() if by is Delivery.EMAIL else None,
    )
    tell_letter("letter_written", letter)
    if by is Delivery.EMAIL:
        transaction.on_commit(partial(_announce, letter))
    return letter


def letter_retry(request_id: UUID, letter_id: UUID) -> Letter:
    """Send a failed or uncertain letter again, after a person has made sure that it did not arrive."""
    require_manager()
    with transaction.atomic():
        letter = _locked_letter(request_id, letter_id)
        if letter.state not in (LetterState.FAILED, LetterState.UNCERTAIN):
            raise RequestError("audit.letter_state", state=LetterState(letter.state).label)
        letter.state, letter.attempts, letter.next_try_at, letter.problem = LetterState.WAITING, 0, timezone.now(), ""
        letter.save(update_fields=["state", "attempts", "next_try_at", "problem"])
        tell_letter("letter_retried", letter)
        transaction.on_commit(partial(_announce, letter))
        return letter


def letter_settle(request_id: UUID, letter_id: UUID) -> Letter:
    """Note that a letter has gone out: a person posted it, or found it in the mail server's log."""
    require_manager()
    with transaction.atomic():
        letter = _locked_letter(request_id, letter_id)
        if letter.state not in _SETTLED_BY_HAND:
            raise RequestError("audit.letter_state", state=LetterState(letter.state).label)
        letter.state, letter.sent_at, letter.next_try_at, letter.problem = LetterState.SENT, timezone.now(), None, ""
        letter.save(update_fields=["state", "sent_at", "next_try_at", "problem"])
        tell_letter("letter_settled", letter)
        forget_once_told(letter)
        return letter


def _locked_letter(request_id: UUID, letter_id: UUID) -> Letter:
    rows = Letter.objects.select_for_update(no_key=True, of=("self",)).select_related("request")
    letter: Letter | None = rows.filter(id=letter_id, request_id=request_id).first()
    if letter is None:
        raise RequestError("audit.letter_not_found", letter=letter_id)
    return letter


def _announce(letter: Letter) -> None:
    """Queue a message that holds only ids, never the letter. Without a broker the next sweep sends the letter."""
    try:
        app.send_task(SEND_TASK, args=[str(letter.tenant_id), str(letter.id)])
    except (OperationalError, CeleryError):
        return
