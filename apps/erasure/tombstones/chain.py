"""Reading tombstones: all in their order, each bound to the one before; and, for ingest, what may not come again.

What a process has read it keeps, as digests alone, and asks for what was added since: two small reads a question.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from threading import Lock
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db.models import Max

from apps.audit.errors import TombstonesDamagedError
from apps.audit.log.tombstone_place import TombstonePlace, tombstone_place
from apps.erasure.contracts import DigestKind, Origin
from apps.erasure.models import TombstoneMark
from apps.erasure.tombstones.record import Tombstone, keyed_digest, tombstone
from apps.tenants.context import current_scope
from apps.tenants.ids import TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a document is not taken in again: the run that erased it, and when that began."""

    run_id: UUID
    number: int
    at: datetime


@dataclass(slots=True, kw_only=True)
class _Known:
    """What this process has read of one place."""

    number: int = 0
    mac: str = ""
    confirmed: int = 0
    refused: dict[tuple[TenantId, DigestKind, str], Refusal] = field(default_factory=dict)


_lock: Final = Lock()
_known: dict[str, _Known] = {}


def tombstones(place: TombstonePlace | None = None, *, after: int = 0, previous: str = "") -> Iterator[Tombstone]:
    """All tombstones in their order, the unconfirmed at the end included.

    Args:   after, previous: only those after this number, whose code was `previous`.
    Raises: TombstonesDamagedError: one was changed or taken away; TombstonesUnavailableError.
    """
    place = place or tombstone_place()
    number = after
    while (text := place.tombstone(number + 1)) is not None:
        number += 1
        found = tombstone(text, number=number, previous=previous)
        previous = found.mac
        yield found
    if number < place.confirmed():
        raise TombstonesDamagedError(number=number + 1, problem="it was removed")


def is_tombstoned(kind: DigestKind, value: str) -> Refusal | None:
    """Whether a document that a request erased, in the open tenant, had this digest of content or this external id.

    What a retention rule purged is no refusal: its time was over for that copy, and a firm may have a new reason to
    keep the same document. A person's erasure would be undone by it.

    Raises: TombstonesUnavailableError, TombstonesDamagedError: nobody can say, and so nothing may be taken in.
    Costs:  one query and two small reads.
    """
    tenant = current_scope().tenant_id
    with _lock:
        known = _refreshed()
        written: int = TombstoneMark.objects.aggregate(last=Max("number"))["last"] or 0
        if written > known.number:
            raise TombstonesDamagedError(number=known.number + 1, problem="the database knows about it, but it is gone")
        return known.refused.get((tenant, kind, keyed_digest(kind, value, tenant=tenant)))


def chain_end() -> tuple[int, str]:
    """The number and code of the last tombstone; (0, "") before the first."""
    with _lock:
        known = _refreshed()
        return known.number, known.mac


def _refreshed() -> _Known:
    url: str = settings.GLASSBOX_TOMBSTONES_URL
    place = tombstone_place()
    known = _known.get(url)
    confirmed = place.confirmed()
    if known is None:
        known = _known[url] = _Known()
    if confirmed < known.confirmed:
        raise TombstonesDamagedError(number=known.confirmed, problem="it was confirmed before, but no longer is")
    known.confirmed = confirmed
    for each in tombstones(place, after=known.number, previous=known.mac):
        known.number, known.mac = each.number, each.mac
        if each.origin is Origin.REQUEST:
            for kind, digest in each.digests:
                refusal = Refusal(run_id=each.run_id, number=each.number, at=each.at)
                known.refused.setdefault((each.tenant_id, kind, digest), refusal)
    return known
