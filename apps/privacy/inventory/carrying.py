"""Decisions that go along to a redacted version: what stays there was looked at, and is not asked twice.

A redacted version differs from the one before by what was removed alone. A place that was cleared there and is found
here again, certainly the same one, is cleared here as well: in the name of whoever decided it, of when they did, with
the same reason. Everything else is open, as every new place is. The database lets the platform say no more than that
(apps/audit/sql/inventories.sql). Whoever works on the request can decide again, and that is not carried over once more.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.erasure.contracts import TargetType
from apps.privacy.codes.inventory import Decision, Treatment
from apps.privacy.inventory.deciding import words_part
from apps.privacy.inventory.events import tell
from apps.privacy.inventory.same_places import Stretch, same_places
from apps.privacy.models import ErasureRequest, Inventory, InventoryHit, InventoryTreatment
from apps.privacy.requests.details import sealed_words, words_of

_Key = tuple[UUID, str, str, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """How many places of a redacted version were cleared as one person had cleared them in the version before."""

    document_id: UUID
    redacted_id: UUID
    decided_by_id: UUID
    places: int


def carry_over(request: ErasureRequest, hits: Sequence[InventoryHit]) -> Sequence[Carried]:
    """Set what was decided before on those of the hits that are found for the first time. Saves nothing.

    In the open transaction, over all scopes, while the hits that decisions are taken from stay as they are. A document
    may have been redacted for another request than this one; the decisions are always this one's own.

    Returns: what was carried over, for tell_carried once the hits are saved.
    Costs:   three queries; for each redacted version in which something is found for the first time, two or three and
             those of Documents.same_places.
    """
    found: dict[UUID, list[InventoryHit]] = defaultdict(list)
    for hit in hits:
        if hit.target_type == TargetType.DOCUMENT and hit.target_id is not None:
            found[hit.target_id].append(hit)
    treated = InventoryTreatment.objects.filter(treatment=Treatment.REDACT, redacted_id__any_of=set(found))
    counted: Counter[tuple[UUID, UUID, UUID]] = Counter()
    if rows := list(treated):
        known = _known(request, {row.redacted_id for row in rows if row.redacted_id})
        for row in rows:
            new = [hit for hit in found[row.redacted_id] if _key(hit) not in known and hit.carried_from_id is None]
            for hit, old in _same(request, row, new):
                counted[row.document_id, row.redacted_id, _carry(request, hit, old)] += 1
    return [
        Carried(document_id=document, redacted_id=redacted, decided_by_id=person, places=places)
        for (document, redacted, person), places in sorted(counted.items())
    ]


def tell_carried(inventory: Inventory, carried: Iterable[Carried]) -> None:
    """An event for each redacted version and each person whose decisions hold in it too."""
    for each in carried:
        tell(
            "carried_over",
            inventory.request,
            inventory_id=str(inventory.id),
            document_id=str(each.document_id),
            redacted_id=str(each.redacted_id),
            decided_by=str(each.decided_by_id),
            places=each.places,
            cleared=each.places,
        )


def _same(
    request: ErasureRequest, row: InventoryTreatment, new: Sequence[InventoryHit]
) -> Iterable[tuple[InventoryHit, InventoryHit]]:
    """Those of the new hits that are certainly a place that was cleared in the version before, each with that one."""
    of_old = InventoryHit.objects.filter(target_type=TargetType.DOCUMENT, target_id=row.document_id)
    old = list(of_old.filter(request=request).select_for_update(no_key=True)) if new else []
    if not any(hit.decision == Decision.CLEARED for hit in old):
        return []
    removed = of_old.filter(request_id=row.request_id, decision=Decision.CONFIRMED)
    by_stretch = {_stretch(hit): hit for hit in old}
    same = same_places(
        before=list(by_stretch), removed=[_stretch(hit) for hit in removed], after=[_stretch(hit) for hit in new]
    )
    pairs = [(hit, by_stretch[same[stretch]]) for hit in new if (stretch := _stretch(hit)) in same]
    return [(hit, before) for hit, before in pairs if before.decision == Decision.CLEARED]


def _carry(request: ErasureRequest, hit: InventoryHit, old: InventoryHit) -> UUID:
    """Returns: who decided it."""
    if old.decided_by_id is None:
        raise ValueError("a place that nobody decided on is carried over nowhere")
    hit.decision, hit.reason, hit.carried_from_id = old.decision, old.reason, old.id
    hit.decided_by_id, hit.decided_at = old.decided_by_id, old.decided_at
    if old.words:
        words = words_of(request, bytes(old.words), part=words_part(old))
        # Sealed anew: what is sealed opens in its own place alone.
        hit.words = sealed_words(request, words, part=words_part(hit))
    return old.decided_by_id


def _known(request: ErasureRequest, documents: Iterable[UUID]) -> set[_Key]:
    """Places that an earlier search found: whatever is decided of them by now was somebody's own word."""
    there = InventoryHit.objects.filter(
        request=request, target_type=TargetType.DOCUMENT, target_id__any_of=set(documents)
    ).order_by()
    return set(there.values_list("item_id", "store", "part", "char_start", "char_end"))


def _key(hit: InventoryHit) -> _Key:
    return hit.item_id, hit.store, hit.part, hit.char_start, hit.char_end


def _stretch(hit: InventoryHit) -> Stretch:
    return Stretch(place=hit.place, start=hit.char_start, end=hit.char_end)
