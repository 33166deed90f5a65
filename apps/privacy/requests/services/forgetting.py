"""Destroy, after a request has ended, the key that seals what is known of the person, and the access package."""

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
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.stepping import locked_request, require_manager
from apps.privacy.requests.whole import whole_tenant

STEP: Final = "forgotten"
# How long a package is kept after it is made, and the sealed details after the request has ended. This is long enough
# for the person to ask what a word in the package means; a person who needs it later makes a new request.
KEPT_FOR: Final = timedelta(days=30)
_MOST: Final = 1_000


def may_be_forgotten(request: ErasureRequest) -> bool:
    """Return whether the request's key may be destroyed.

    It may where the key still exists, every letter is sent, and the erasure was carried out completely. A request for
    access need only have ended in any way, since the person has no more use for its key then.
    """
    ended = (RequestState.COMPLETED, RequestState.REFUSED, RequestState.WITHDRAWN)
    return (
        request.state in (ended if request.is_access else (RequestState.COMPLETED,))
        and not request.letters.exclude(state=LetterState.SENT).exists()
        and DataKey.objects.filter(id=request.data_key_id, subject_id=request.id).exists()
    )


def request_forget(request_id: UUID) -> None:
    """Destroy the key of a request that has ended, so that nobody can read its names, notes and letters any more.

    This takes effect when the transaction ends, since no process caches such a key. Raises: RequestError: the
    request is not completed, a letter is not sent yet, or the key is destroyed already.
    """
    require_manager()
    with transaction.atomic():
        request = locked_request(request_id)
        if not may_be_forgotten(request):
            raise RequestError(
                "audit.request_step",
                reference=request.reference,
                state=RequestState(request.state).label,
                step="forgotten",
            )
        forget(request)


def forget_once_told(letter: Letter) -> None:
    """Destroy the key of a request for erasure once its final letter is sent, in the open transaction.

    The key of a request for access is kept as long as its package, for a person who asks again what they were sent.
    """
    request: ErasureRequest = letter.request
    if request.is_access:
        return
    if letter.kind == LetterKind.DONE and letter.state == LetterState.SENT and may_be_forgotten(request):
        forget(request)


def forget(request: ErasureRequest) -> None:
    """Destroy the key and the package of a request for which may_be_forgotten holds, in the open transaction."""
    function = "audit_forget_access" if request.is_access else "audit_forget_request"
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [request.id])
    remove_package_of(request)
    tell(STEP, request)


def remove_package_of(request: ErasureRequest) -> int:
    """Destroy the access package of a request, where the person is no longer owed it. Returns: as remove_packages."""
    if not request.is_access:
        return 0
    with whole_tenant():
        return remove_packages(list(AccessPackage.objects.filter(request=request).values_list("id", flat=True)))


def remove_packages(packages: Sequence[UUID], *, limit: int = _MOST) -> int:
    """Delete the rows and keys of packages, in the open transaction. The database deletes only those that may go.

    Returns: how many rows and keys were deleted.
    """
    if not packages:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_remove_packages(%s, %s)", [list(packages), limit])
        return int(cursor.fetchone()[0])
