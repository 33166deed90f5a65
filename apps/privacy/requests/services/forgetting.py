"""After the end: the keys go by which all that is known of the person is sealed, and a package that was made."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.models import DataKey
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import LetterKind, LetterState
from apps.privacy.models import AccessPackage, ErasureRequest, Letter
from apps.privacy.requests.errors import RequestStepError
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.privacy.requests.whole import whole_tenant

STEP: Final = "forgotten"
# From its making; and, after the end of its request, of what is known of the person. Long enough to ask what a word in
# it means; whoever needs it later asks again.
KEPT_FOR: Final = timedelta(days=30)
_MOST: Final = 1_000


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
    remove_package_of(request)
    tell(STEP, request)


def remove_package_of(request: ErasureRequest) -> int:
    """Destroy the package of a request, where it has one that is not owed any more. Returns: how many there were."""
    if not request.is_access:
        return 0
    with whole_tenant():
        return remove_packages(list(AccessPackage.objects.filter(request=request).values_list("id", flat=True)))


def remove_packages(packages: Sequence[UUID], *, limit: int = _MOST) -> int:
    """Rows and keys, in the open transaction; the database lets go of those alone that may go.

    Returns: how many rows and keys went.
    """
    if not packages:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_remove_packages(%s, %s)", [list(packages), limit])
        return int(cursor.fetchone()[0])
