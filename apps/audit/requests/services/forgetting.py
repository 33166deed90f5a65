"""After the end: the key that everything known of the person is sealed by is destroyed."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.models import DataKey, ErasureRequest, Letter
from apps.audit.requests.codes import LetterKind, LetterState
from apps.audit.requests.errors import RequestStepError
from apps.audit.requests.events import tell
from apps.audit.requests.life import RequestState
from apps.audit.requests.services.stepping import locked_request, require_manager

STEP: Final = "forgotten"


def may_be_forgotten(request: ErasureRequest) -> bool:
    """Whether it was carried out whole, no letter is left to be sent, and its key is there still."""
    return (
        request.state == RequestState.COMPLETED
        and not request.letters.exclude(state=LetterState.SENT).exists()
        and DataKey.objects.filter(id=request.data_key_id, subject_id=request.id).exists()
    )


def request_forget(request_id: UUID) -> None:
    """Destroy the key of a request that was carried out: names, notes and letters can't be read by anybody any more.

    From the end of the transaction on: no process keeps such a key. Raises: RequestStepError: it is not completed, a
    letter is not sent yet, or it is forgotten already.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        if not may_be_forgotten(request):
            raise RequestStepError(
                reference=request.reference, state=RequestState(request.state).label, step="forgotten"
            )
        _forget(request)


def forget_once_told(letter: Letter) -> None:
    """The letter that it is done has gone out: nothing needs the key any more. In the open transaction."""
    request: ErasureRequest = letter.request
    if letter.kind == LetterKind.DONE and letter.state == LetterState.SENT and may_be_forgotten(request):
        _forget(request)


def _forget(request: ErasureRequest) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_forget_request(%s)", [request.id])
    tell(STEP, request)
