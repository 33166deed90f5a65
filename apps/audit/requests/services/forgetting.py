"""After the end: the key that everything known of the person is sealed by is destroyed."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.access.removing import packages_remove
from apps.audit.models import DataKey, ErasureRequest, Letter
from apps.audit.requests.codes import LetterKind, LetterState
from apps.audit.requests.errors import RequestStepError
from apps.audit.requests.events import tell
from apps.audit.requests.life import RequestState
from apps.audit.requests.services.stepping import locked_request, require_manager

STEP: Final = "forgotten"


def may_be_forgotten(request: ErasureRequest) -> bool:
    """Whether it was carried out whole, no letter is left to be sent, and its key is there still.

    One for access: whether it has ended in any way. Its key is of no use to the person then.
    """
    ended = (RequestState.COMPLETED, RequestState.REFUSED, RequestState.WITHDRAWN)
    return (
        request.state in (ended if request.is_access else (RequestState.COMPLETED,))
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
        forget(request)


def forget_once_told(letter: Letter) -> None:
    """The letter that it is done has gone out: nothing needs the key any more. In the open transaction.

    Of a request for access it is kept as long as the package, for whoever asks again what they were sent.
    """
    request: ErasureRequest = letter.request
    if request.is_access:
        return
    if letter.kind == LetterKind.DONE and letter.state == LetterState.SENT and may_be_forgotten(request):
        forget(request)


def forget(request: ErasureRequest) -> None:
    """Destroy the key of a request that may be forgotten, with a package that was made, in the open transaction."""
    function = "audit_forget_access" if request.is_access else "audit_forget_request"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [request.id])
    packages_remove(request)
    tell(STEP, request)
