"""Search the whole tenant in the worker, and write the places that were found, without any text, in one transaction."""

from __future__ import annotations

import logging
import traceback
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from uuid import UUID

from django.utils import timezone

from apps.audit.ids import new_id
from apps.audit.models import Outcome
from apps.erasure.declarations.searched import TextLocation
from apps.erasure.holds.locks import keep_removals_out
from apps.erasure.registry import searched_of
from apps.errors import ApplicationError
from apps.privacy.codes.inventory import InventoryState
from apps.privacy.inventory.carrying import carry_over, tell_carried
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.redacting import are_being_made
from apps.privacy.models import Inventory, InventoryHit
from apps.privacy.people.contracts import Mention
from apps.privacy.people.describing import describe
from apps.privacy.people.files import FilesFound, find_in_files
from apps.privacy.people.search import PersonSearch, person_search
from apps.privacy.requests.details import known_details
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Lease, LeaseLostError, Progress, claim, enqueue, hold

logger = logging.getLogger("glassbox.audit")

MOST_HITS: Final = 20_000
CRASHED: Final = "audit.inventory_crashed"
_LEASE_S: Final = 300.0
_TOLD_EVERY_S: Final = 2.0
_MOST_ATTEMPTS: Final = 3
_AT_ONCE: Final = 1_000
_LOOKED_AGAIN_AFTER_S: Final = 5


def inventory_run(*, tenant_id: TenantId, inventory_id: UUID) -> InventoryState | None:
    """Run a whole search. Safe to call twice, concurrently, and after a crash at any point.

    Returns: how the search ended; None where another worker runs it, where it has ended, or where redacted versions are
        still being made.
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
    except LeaseLostError:
        logger.warning("inventory %s was taken over", inventory_id)
        return None
    except Exception as error:  # noqa: BLE001 - it is written down, without its message
        # A driver's message may quote a row.
        where = "".join(traceback.format_tb(error.__traceback__))
        logger.error("inventory %s: %s at\n%s", inventory_id, type(error).__name__, where)  # noqa: TRY400
        return _failed(lease, error.code if isinstance(error, ApplicationError) else CRASHED)
    return InventoryState.DONE


def _claim(tenant_id: TenantId, inventory_id: UUID) -> Lease[Inventory] | None:
    with open_scope(tenant=tenant_id, reason=Inventory.reason):
        inventory: Inventory | None = Inventory.objects.filter(id=inventory_id).first()
        if inventory is not None and are_being_made(inventory.request_id):
            # Wait for the redacted versions: the search must also find what they still hold about the person.
            enqueue(inventory, after_s=_LOOKED_AGAIN_AFTER_S)
            return None
    return claim(Inventory, tenant_id=tenant_id, job_id=inventory_id, lease_s=_LEASE_S, done=0, total=0)


def _searched(lease: Lease[Inventory]) -> tuple[list[Mention], PersonSearch]:
    found: list[Mention] = []
    with open_scope(tenant=lease.tenant_id, reason=Inventory.reason):
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.job_id)
        search = person_search(
            person=describe(known_details(inventory.request)), progress=Progress(lease, every_s=_TOLD_EVERY_S)
        )
        for hits in search:
            found += hits.mentions
            if len(found) > MOST_HITS:
                raise InventoryError("audit.inventory_too_many", most=f"{MOST_HITS:,}")
    return found, search


def _files_searched(lease: Lease[Inventory], found: list[Mention], search: PersonSearch) -> FilesFound:
    """Add the mentions in files to `found`. Each file is read in a separate transaction and parsed outside of it."""
    with open_scope(tenant=lease.tenant_id, reason=Inventory.reason):
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.job_id)
        details = known_details(inventory.request)
    tell_progress = Progress(lease, every_s=_TOLD_EVERY_S)

    def progress(done: int, total: int) -> None:
        tell_progress(search.done + done, search.done + total)

    files = find_in_files(details, tenant_id=lease.tenant_id, reason=Inventory.reason, found=found, progress=progress)
    found += files.mentions
    if len(found) > MOST_HITS:
        raise InventoryError("audit.inventory_too_many", most=f"{MOST_HITS:,}")
    return files


def _write(lease: Lease[Inventory], mentions: Sequence[Mention], search: PersonSearch, files: FilesFound) -> None:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for mention in mentions:
        counts[mention.place.store][not mention.is_certain] += 1
    with open_scope(tenant=lease.tenant_id, reason=Inventory.reason):
        # After this lock, a running purge has either ended or will see that a request is about these places.
        keep_removals_out()
        inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.job_id)
        scopes = _scopes(mention.place for mention in mentions)
        hits = [_hit(inventory, mention, scopes.get(mention.place, ())) for mention in mentions]
        carried = carry_over(inventory.request, hits)
        InventoryHit.objects.bulk_create(
            hits,
            batch_size=_AT_ONCE,
            update_conflicts=True,
            unique_fields=["tenant", "request", "store", "item_id", "part", "char_start", "char_end"],
            # A place that is found again keeps its decision.
            update_fields=["inventory", "how", "matched", "confidence", "is_certain"],
        )
        hold(
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


def _scopes(places: Iterable[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
    by_store: dict[str, set[TextLocation]] = defaultdict(set)
    for place in places:
        by_store[place.store].add(place)
    found: dict[TextLocation, tuple[UUID, ...]] = {}
    for store, of_store in by_store.items():
        found.update(searched_of(store).scopes_of(list(of_store)))
    return found


def _hit(inventory: Inventory, mention: Mention, scope_ids: Sequence[UUID]) -> InventoryHit:
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


def _failed(lease: Lease[Inventory], code: str) -> InventoryState | None:
    try:
        with open_scope(tenant=lease.tenant_id, reason=Inventory.reason):
            hold(lease, state=InventoryState.FAILED, lease_until=None, finished_at=timezone.now(), error_code=code)
            inventory: Inventory = Inventory.objects.select_related("request").get(id=lease.job_id)
            tell("failed", inventory.request, outcome=Outcome.FAILED, inventory_id=str(inventory.id), error_code=code)
    except LeaseLostError:
        return None
    return InventoryState.FAILED
