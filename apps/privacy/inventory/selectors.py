"""Read an inventory: the newest search, the places it found, and counts that include scopes the reader can't see."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.erasure.contracts import Target, TargetType
from apps.erasure.registry import searched, stores
from apps.privacy.codes.inventory import Decision, InventoryState, Treatment
from apps.privacy.inventory.documents import Spot
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.replaced import going_documents
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
from apps.privacy.requests.whole import whole_tenant


def newest(request: ErasureRequest) -> Inventory | None:
    """Return the newest search of a request in any state, or None."""
    found: Inventory | None = Inventory.objects.filter(request=request).first()
    return found


def searched_last(request: ErasureRequest) -> Inventory | None:
    """Return the newest search that ended with a result, or None: its places are the inventory."""
    found: Inventory | None = Inventory.objects.filter(request=request, state=InventoryState.DONE).first()
    return found


def hits_of(request: ErasureRequest) -> QuerySet[InventoryHit]:
    """Return the places that the newest finished search found and the open scope shows; none before one has ended."""
    last = searched_last(request)
    found: QuerySet[InventoryHit] = InventoryHit.objects.filter(request=request, inventory=last)
    return found if last is not None else InventoryHit.objects.none()


def require_hits(request: ErasureRequest) -> QuerySet[InventoryHit]:
    """Return the places as hits_of does. Raises: InventoryError: no search has ended yet."""
    if searched_last(request) is None:
        raise InventoryError("audit.inventory_not_found", reference=request.reference)
    return hits_of(request)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How many places there are over all scopes, by decision.

    beyond, beyond_open: how many of all places, and of the open ones, lie in scopes that the reader does not hold.
    carried: how many of the cleared places were decided on in an earlier version of their document.
    set_aside: open places of documents that are removed whole because they were redacted (replaced.going_documents).
        They need no decision, and no other number counts them.
    """

    total: int
    open: int
    confirmed: int
    cleared: int
    beyond: int
    beyond_open: int
    carried: int
    set_aside: int

    @property
    def decided(self) -> int:
        return self.total - self.open


def standing(request: ErasureRequest) -> Standing:
    """Count the places of a request. Costs: eight queries, and what replaced.going_documents costs."""
    aside = _is_set_aside(request)
    seen = Counter(hits_of(request).exclude(aside).order_by().values_list("decision", flat=True))
    with whole_tenant():
        every = Counter(hits_of(request).exclude(aside).order_by().values_list("decision", flat=True))
        carried = hits_of(request).filter(carried_from_id__isnull=False).count()
        set_aside = hits_of(request).filter(aside).count()
    return Standing(
        total=every.total(),
        open=every[Decision.OPEN],
        confirmed=every[Decision.CONFIRMED],
        cleared=every[Decision.CLEARED],
        beyond=every.total() - seen.total(),
        beyond_open=every[Decision.OPEN] - seen[Decision.OPEN],
        carried=carried,
        set_aside=set_aside,
    )


def open_in(request: ErasureRequest, document_ids: Iterable[UUID]) -> Mapping[UUID, Sequence[InventoryHit]]:
    """Return the undecided places that the open scope shows, by document. Documents that have none are left out."""
    found: dict[UUID, list[InventoryHit]] = defaultdict(list)
    hits = hits_of(request).filter(_is_open_of(document_ids)).order_by("target_id", "page", "char_start", "id")
    for hit in hits:
        if hit.target_id is not None:
            found[hit.target_id].append(hit)
    return found


def open_beyond(request: ErasureRequest, targets: Iterable[Target]) -> int:
    """Return how many open places lie outside the documents among the targets, over all scopes."""
    going = {target.id for target in targets if target.type is TargetType.DOCUMENT}
    with whole_tenant():
        found: int = hits_of(request).filter(decision=Decision.OPEN).exclude(_is_open_of(going)).count()
    return found


def set_aside_of(request_id: UUID) -> int:
    """Return Standing.set_aside of a request, also for users who may not read it: its proposed run shows it too."""
    with whole_tenant():
        request: ErasureRequest | None = ErasureRequest.objects.filter(id=request_id).first()
        return hits_of(request).filter(_is_set_aside(request)).count() if request is not None else 0


def _is_set_aside(request: ErasureRequest) -> Q:
    return _is_open_of(going_documents(request))


def _is_open_of(document_ids: Iterable[UUID]) -> Q:
    return Q(decision=Decision.OPEN, target_type=TargetType.DOCUMENT, target_id__any_of=set(document_ids))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreCount:
    key: str
    label: str
    certain: int
    uncertain: int


def stores_searched(inventory: Inventory) -> Sequence[StoreCount]:
    """Return every store that is searched with the number of places found in it, most first."""
    labels = {store.key: store.label for store in stores()}
    found = []
    for source in searched():
        for key in source.stores:
            certain, uncertain = inventory.counts.get(key, (0, 0))
            label = labels.get(key) or source.label
            found.append(StoreCount(key=key, label=label, certain=certain, uncertain=uncertain))
    return sorted(found, key=lambda each: (-each.certain - each.uncertain, each.label))


def treatments_of(request: ErasureRequest) -> Mapping[UUID, InventoryTreatment]:
    """Return the treatments that the open scope shows, by document."""
    return {each.document_id: each for each in InventoryTreatment.objects.filter(request=request)}


def spots_of(request: ErasureRequest, document_id: UUID) -> Sequence[Spot]:
    """Return the confirmed places of a document in the form that a redaction takes."""
    confirmed = hits_of(request).filter(
        target_type=TargetType.DOCUMENT, target_id=document_id, decision=Decision.CONFIRMED
    )
    return [Spot(page=hit.page, part=hit.part, start=hit.char_start, end=hit.char_end) for hit in confirmed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Grouped:
    """The places of one thing: a document, a part of an event, or another row (which may have no target)."""

    target: Target | None
    store: str
    item_id: UUID
    hits: tuple[InventoryHit, ...]

    @property
    def is_document(self) -> bool:
        return self.target is not None and self.target.type is TargetType.DOCUMENT

    @property
    def is_event(self) -> bool:
        return self.target is not None and self.target.type is TargetType.EVENT_GROUP

    @property
    def certain(self) -> tuple[InventoryHit, ...]:
        return tuple(hit for hit in self.hits if hit.is_certain)

    @property
    def uncertain(self) -> tuple[InventoryHit, ...]:
        return tuple(hit for hit in self.hits if not hit.is_certain)

    @property
    def open(self) -> tuple[InventoryHit, ...]:
        return tuple(hit for hit in self.hits if hit.decision == Decision.OPEN)

    @property
    def confirmed(self) -> tuple[InventoryHit, ...]:
        return tuple(hit for hit in self.hits if hit.decision == Decision.CONFIRMED)

    @property
    def carried(self) -> tuple[InventoryHit, ...]:
        return tuple(hit for hit in self.hits if hit.carried_from_id is not None)


def grouped(request: ErasureRequest) -> Sequence[Grouped]:
    """Return all places that the open scope shows, grouped by thing: documents, events, others. Costs: two queries."""
    by_thing: dict[object, list[InventoryHit]] = defaultdict(list)
    for hit in hits_of(request).order_by("store", "item_id", "page", "char_start", "id"):
        by_thing[hit.target or (hit.store, hit.item_id)].append(hit)
    groups = [
        Grouped(target=hits[0].target, store=hits[0].store, item_id=hits[0].item_id, hits=tuple(hits))
        for hits in by_thing.values()
    ]
    return sorted(groups, key=lambda each: (not each.is_document, not each.is_event, each.store, str(each.item_id)))


def confirmed_documents(request: ErasureRequest) -> Sequence[UUID]:
    confirmed = hits_of(request).filter(target_type=TargetType.DOCUMENT, decision=Decision.CONFIRMED)
    return sorted({id for id in confirmed.order_by().values_list("target_id", flat=True) if id is not None})


def redacted_versions(request: ErasureRequest) -> Sequence[UUID]:
    found = InventoryTreatment.objects.filter(request=request, treatment=Treatment.REDACT, redacted_id__isnull=False)
    return list(found.values_list("redacted_id", flat=True))
