"""End a request without an erasure: refuse it on a legal ground, or record that it was withdrawn."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Delivery, LetterKind, Refusal, refusals_of
from apps.privacy.inventory.restricting import lift_at_end
from apps.privacy.models import ErasureRequest
from apps.privacy.proposals.approving import locked_without_proposal
from apps.privacy.requests.details import LetterText, known_details
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.services.forgetting import remove_package_of
from apps.privacy.requests.services.letters import queue_letter
from apps.privacy.requests.services.stepping import change, require_manager, require_step, require_words

S = RequestState


def refuse(
    request_id: UUID,
    *,
    revision: int,
    code: Refusal,
    words: str,
    letter: LetterText | None = None,
    delivery: Delivery | None = None,
) -> ErasureRequest:
    """Refuse a request for good, on a legal ground, and write the person why and what they can do about it.

    Article 12(4) demands that letter.

    Raises: RequestError; what queue_letter raises.
    """
    require_manager()
    said = require_words(words)
    with transaction.atomic():
        request = locked_without_proposal(request_id, revision=revision)
        if code not in refusals_of(request.purpose):
            raise RequestError("audit.request_refusal_ground")
        require_step(request, "refuse")
        change(
            request,
            "refused",
            to=S.REFUSED,
            details=replace(known_details(request), refusal_words=said),
            told={"code": code.value},
            refusal=code.value,
            finished_at=timezone.now(),
        )
        lift_at_end(request)
        remove_package_of(request)
        queue_letter(request, LetterKind.REFUSED, words=said, text=letter, delivery=delivery)
        return request


def withdraw(request_id: UUID, *, revision: int, words: str) -> ErasureRequest:
    """Close a request that the requester withdrew. Nothing is erased.

    Raises: RequestError.
    """
    require_manager()
    said = require_words(words)
    with transaction.atomic():
        request = locked_without_proposal(request_id, revision=revision)
        require_step(request, "withdraw")
        details = replace(known_details(request), withdrawal_words=said)
        change(request, "withdrawn", to=S.WITHDRAWN, details=details, finished_at=timezone.now())
        lift_at_end(request)
        remove_package_of(request)
        return request
