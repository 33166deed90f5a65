"""The DPO's steps before a request is decided on: proof of identity, assessment and extension."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.privacy.codes.life import ANSWERED, RequestState
from apps.privacy.codes.requests import (
    Delivery,
    Extension,
    Ground,
    LetterKind,
    SubjectType,
)
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.deadlines import extended_deadline, may_extend_on, received_date
from apps.privacy.requests.details import LetterText, known_details
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.services.letters import queue_letter
from apps.privacy.requests.services.stepping import (
    change,
    locked_request,
    require_erasure,
    require_manager,
    require_step,
    require_words,
)

S = RequestState


def identity_ask(
    request_id: UUID,
    *,
    revision: int,
    words: str,
    letter: LetterText | None = None,
    delivery: Delivery | None = None,
) -> ErasureRequest:
    """Ask the requester to prove that they are the person: only where there are reasonable doubts (Article 12(6)).

    Args:   revision: the revision of the request that the caller read, here and in all steps.
            words: what is asked for, and why the identity is doubted; they appear in the letter.
            letter, delivery: as in queue_letter.
    Raises: RequestError; what queue_letter raises.
    """
    require_manager()
    said = require_words(words)
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_step(request, "ask_identity")
        change(
            request,
            "identity_asked",
            to=S.IDENTITY_PENDING,
            details=replace(known_details(request), identity_words=said),
            identity_asked_at=timezone.now(),
            identity_confirmed_at=None,
        )
        queue_letter(request, LetterKind.IDENTITY, words=said, text=letter, delivery=delivery)
        return request


def identity_confirm(request_id: UUID, *, revision: int) -> ErasureRequest:
    """Confirm that the requester is the person, or that nobody doubts it, and begin the assessment."""
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_step(request, "confirm")
        return change(request, "identity_confirmed", to=S.ASSESSING, identity_confirmed_at=timezone.now())


def assess(request_id: UUID, *, revision: int, ground: Ground, notes: str = "") -> ErasureRequest:
    """Record the ground on which there is a duty to erase.

    Where the subject determines what is erased (a user, a document, a scope, the tenant), the erasure can be proposed
    next. For a person in documents every place must be found first, so the request stays in the assessment.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        require_erasure(request)
        require_step(request, "assess")
        known = known_details(request)
        details = replace(known, notes=notes.strip()) if notes.strip() and notes.strip() != known.notes else None
        follows = request.subject_type != SubjectType.DATA_SUBJECT
        return change(
            request,
            "assessed",
            to=S.INVENTORY_READY if follows else None,
            details=details,
            told={"code": ground.value},
            ground=ground.value,
        )


def extend(
    request_id: UUID,
    *,
    revision: int,
    code: Extension,
    words: str,
    letter: LetterText | None = None,
    delivery: Delivery | None = None,
) -> ErasureRequest:
    """Extend the deadline by two months, and write the reasons to the person.

    This is possible only within the first month (Article 12(3)).

    Raises: RequestError; what queue_letter raises.
    """
    require_manager()
    said = require_words(words)
    with transaction.atomic():
        request = locked_request(request_id, revision=revision)
        state, now = S(request.state), timezone.now()
        if state in ANSWERED:
            raise RequestError("audit.request_step", reference=request.reference, state=state.label, step="extended")
        if request.extended_at is not None:
            raise RequestError("audit.request_extended_already", reference=request.reference)
        if not may_extend_on(request.received_on, received_date(now, request.zone)):
            raise RequestError(
                "audit.request_extension_too_late", reference=request.reference, due_on=request.first_due_on.isoformat()
            )
        change(
            request,
            "extended",
            details=replace(known_details(request), extension_words=said),
            told={"code": code.value},
            extension=code.value,
            extended_at=now,
            due_on=extended_deadline(request.received_on).due_on,
        )
        queue_letter(request, LetterKind.EXTENDED, words=said, text=letter, delivery=delivery)
        return request
