"""Searching in the worker, over the whole tenant: what is found is written in one transaction, places without words."""

from __future__ import annotations

import logging
import os
import socket
import time
import traceback
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from apps.audit.erasure.searched import Place, searched_of
from apps.audit.holds.locks import keep_removals_out
from apps.audit.ids import new_id
from apps.audit.inventory.asking import RUN_TASK, send_later
from apps.audit.inventory.carrying import carry_over, tell_carried
from apps.audit.inventory.codes import InventoryState
from apps.audit.inventory.contracts import FilesFound, Mentioned, Search, file_finder, person_finder
from apps.audit.inventory.errors import InventoryLeaseLostError, TooManyHitsError
from apps.audit.inventory.events import tell
from apps.audit.inventory.redacting import are_being_made
from apps.audit.models import Inventory, InventoryHit, Outcome
from apps.audit.requests.details import known_details
from apps.errors import ApplicationError
from apps.tenants.beside import beside
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import is_past

logger = logging.getLogger("glassbox.audit")

REASON: Final = "search for the person of a request"
MOST_HITS: Final = 20_000
CRASHED: Final = "audit.inventory_crashed"
_LEASE: Final = timedelta(minutes=5)
_TOLD_EVERY_S: Final = 2.0
_MOST_ATTEMPTS: Final = 3
_AT_ONCE: Final = 1_000
_LOOKED_AGAIN_AFTER_S: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lease:
    owner: str
    tenant_id: TenantId
    inventory_id: UUID
    attempts: int


def inventory_run(*, tenant_id: TenantId, inventory_id: UUID) -> InventoryState | None:
    """Search from beginning to end. Safe to call twice, at once, and after a crash at any point.

    Returns: how it ended; None where another worker has it, or it has ended.
    """
    lease = _claim(tenant_id, inventory_id)
    if lease is None:
        return None
    try:
        if lease.attempts > _MOST_ATTEMPTS:
            return _failed(lease, "audit.inventory_worker_lost")
        mentions, search = _searched(lease)
        files = _files_searched(lease, mentions, search)
        _write(lease, mentions, search, files)
    except InventoryLeaseLostError:
        logger.warning("inventory %s was taken over", inventory_id)
        return None
    except Exception as error:  # noqa: BLE001 - it is written down, without its message
        # A driver's message may quote a row.
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("inventory %s: %s at\n%s", inventory_id, type(error).__name__, where)  # noqa: TRY400
        return _failed(lease, error.code if isinstance(error, ApplicationError) else CRASHED)
    return InventoryState.DONE


def _claim(tenant_id: TenantId, inventory_id: UUID) -> _Lease | None:
    with open_scope(tenant=tenant_id, reason=REASON):
        now = timezone.now()
        owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"
        of_request = Inventory.objects.filter(id=inventory_id).values_list("request_id", flat=True)[:1]
        if any(are_being_made(request_id) for request_id in of_request):
            # What is left in them is to be found.
            send_later(RUN_TASK, tenant_id, inventory_id, after_s=_LOOKED_AGAIN_AFTER_S)
            return None
        is_free = Q(state=InventoryState.WAITING) | (Q(state=InventoryState.RUNNING) & is_past("lease_until", now))
        taken = Inventory.objects.filter(is_free, id=inventory_id).update(
            state=InventoryState.RUNNING,
            attempts=F("attempts") + 1,
            lease_owner=owner,
            lease_until=now + _LEASE,
            started_at=now,
            done=0,
            total=0,
        )
        if not taken:
            return None
        attempts = Inventory.objects.values_list("attempts", flat=True).get(id=inventory_id)
    return _Lease(owner=owner, tenant_id=tenant_id, inventory_id=inventory_id, attempts=attempts)


def _held(lease: _Lease, **changes: Any) -> None:
    """Change the row in the open scope, and make the lease last. Raises: InventoryLeaseLostError."""
    mine = Inventory.objects.filter(id=lease.inventory_id, lease_owner=lease.owner, state=InventoryState.RUNNING)
    if not mine.update(**{"lease_until": timezone.now() + _LEASE, **changes}):
        raise InventoryLeaseLostError(inventory=lease.inventory_id)


def _searched(lease: _Lease) -> tuple[list[Mentioned], Search]:
    found: list[Mentioned] = []
    with open_scope(tenant=lease.tenant_id, reason=REASON):
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.inventory_id)
        search = person_finder()(known_details(inventory.request), progress=_Teller(lease))
        for mention in search:
            found.append(mention)
            if len(found) > MOST_HITS:
                raise TooManyHitsError(most=f"{MOST_HITS:,}")
    return found, search


def _files_searched(lease: _Lease, found: list[Mentioned], search: Search) -> FilesFound:
    """Adds what the files hold to what was found. Each is read in a transaction of its own, and taken apart outside."""
    with open_scope(tenant=lease.tenant_id, reason=REASON):
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.inventory_id)
        details = known_details(inventory.request)
    tell_progress = _Teller(lease)

    def progress(done: int, total: int) -> None:
        tell_progress(search.done + done, search.done + total)

    files = file_finder()(details, tenant_id=lease.tenant_id, reason=REASON, found=found, progress=progress)
    found += files.mentions
    if len(found) > MOST_HITS:
        raise TooManyHitsError(most=f"{MOST_HITS:,}")
    return files


class _Teller:
    """Writes down how far it is, every few seconds, on a connection of its own: the search's transaction is open.

    By it the lease lasts, however long nothing is found.
    """

    def __init__(self, lease: _Lease) -> None:
        self._lease, self._next = lease, time.monotonic() + _TOLD_EVERY_S

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            with beside(), open_scope(tenant=self._lease.tenant_id, reason=REASON):
                _held(self._lease, done=done, total=total)
            self._next = time.monotonic() + _TOLD_EVERY_S


def _write(lease: _Lease, mentions: Sequence[Mentioned], search: Search, files: FilesFound) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for mention in mentions:
        counts[mention.place.store][not mention.is_certain] += 1
    with open_scope(tenant=lease.tenant_id, reason=REASON):
        # A purge that goes on has ended, or sees from here on that a request is about these.
        keep_removals_out()
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.inventory_id)
        scopes = _scopes(mention.place for mention in mentions)
        hits = [_hit(inventory, mention, scopes.get(mention.place, ())) for mention in mentions]
        carried = carry_over(inventory.request, hits)
        InventoryHit.objects.bulk_create(
            hits,
            batch_size=_AT_ONCE,
            update_conflicts=True,
            unique_fields=["tenant", "request", "store", "item_id", "part", "char_start", "char_end"],
            # Found again: it keeps what was decided.
            update_fields=["inventory", "how", "matched", "confidence", "is_certain"],
        )
        _held(
            lease,
            state=InventoryState.DONE,
            lease_until=None,
            finished_at=timezone.now(),
            done=search.done + files.files,
            total=search.done + files.files,
            counts=dict(counts),
            unreadable=search.unreadable + len(files.unread),
            unread_files=list(files.unread),
        )
        tell(
            "finished",
            inventory.request,
            inventory_id=str(inventory.id),
            texts=search.done + files.files,
            places=len(mentions),
            certain=sum(mention.is_certain for mention in mentions),
            unreadable=search.unreadable + len(files.unread),
        )
        tell_carried(inventory, carried)


def _scopes(places: Iterable[Place]) -> Mapping[Place, tuple[UUID, ...]]:
    by_store: dict[str, set[Place]] = defaultdict(set)
    for place in places:
        by_store[place.store].add(place)
    found: dict[Place, tuple[UUID, ...]] = {}
    for store, of_store in by_store.items():
        found.update(searched_of(store).scopes_of(list(of_store)))
    return found


def _hit(inventory: Inventory, mention: Mentioned, scope_ids: Sequence[UUID]) -> InventoryHit:
    place, target = mention.place, mention.place.target
    return InventoryHit(
        id=new_id(),
        tenant_id=inventory.tenant_id,
        request_id=inventory.request_id,
        inventory=inventory,
        scope_ids=sorted(scope_ids),
        store=place.store,
        item_id=place.item_id,
        part=place.part,
        page=place.page,
        target_type=target.type if target else "",
        target_id=target.id if target else None,
        target_part=target.part if target else "",
        char_start=mention.char_start,
        char_end=mention.char_end,
        how=mention.how,
        matched=mention.matched,
        confidence=mention.confidence,
        is_certain=mention.is_certain,
    )


def _failed(lease: _Lease, code: str) -> InventoryState | None:
    try:
        with open_scope(tenant=lease.tenant_id, reason=REASON):
            _held(lease, state=InventoryState.FAILED, lease_until=None, finished_at=timezone.now(), error_code=code)
            inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.inventory_id)
            tell("failed", inventory.request, outcome=Outcome.FAILED, inventory_id=str(inventory.id), error_code=code)
    except InventoryLeaseLostError:
        return None
    return InventoryState.FAILED
