"""The end of packages: taken back, expired, or with the request that they were made for. Their keys go first."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.inventory.whole import whole_tenant
from apps.audit.models import AccessPackage, ErasureRequest

# From its making; and, after the end of its request, of what is known of the person. Long enough to ask what a word in
# it means; whoever needs it later asks again.
KEPT_FOR: Final = timedelta(days=30)
_MOST: Final = 1_000


def packages_remove(request: ErasureRequest) -> int:
    """Destroy the package of a request, where it has one that is not owed any more. Returns: how many there were."""
    if not request.is_access:
        return 0
    with whole_tenant():
        return remove(list(AccessPackage.objects.filter(request=request).values_list("id", flat=True)))


def remove(packages: Sequence[UUID], *, limit: int = _MOST) -> int:
    """Rows and keys, in the open transaction; the database lets go of those alone that may go.

    Returns: how many rows and keys went.
    """
    if not packages:
        return 0
    with connection.cursor() as cursor:
        cursor.execute("SELECT audit_remove_packages(%s, %s)", [list(packages), limit])
        return int(cursor.fetchone()[0])
