"""Copy decisions to a redacted version, so that nobody is asked twice about a place that was already looked at.

A redacted version differs from the version before only by what was removed. A place that was cleared in the earlier
version, and is certainly the same place as one found in the redacted version, is cleared there too: with the same
person, time and reason. Every other place is open, like any new place. The database allows the platform no more than
this (apps/audit/sql/inventories.sql). A person who works on the request can decide about the place again, and a later
search does not overwrite that decision.
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
    """How many places of a redacted version were cleared because one person had cleared them in the version before."""

    document_id: UUID
    redacted_id: UUID
    decided_by_id: UUID
    places: int


def carry_over(request: ErasureRequest, hits: Sequence[InventoryHit]) -> Sequence[Carried]:
    """Copy earlier decisions onto those of the hits that are found for the first time. Saves nothing.

    Runs in the open transaction over all scopes, and locks the hits that decisions are copied from. A document may have
    been redacted for another request, but only decisions of this request are copied.

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
    """Record an event for each redacted version and each person whose decisions were copied to it."""
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
    """Return the new hits that are certainly places cleared in the version before, each paired with its old hit."""
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
    """Copy the decision of the old hit to the new one. Returns: who decided it."""
    if old.decided_by_id is None:
        raise ValueError("a place that nobody decided on is carried over nowhere")
    hit.decision, hit.reason, hit.carried_from_id = old.decision, old.reason, old.id
    hit.decided_by_id, hit.decided_at = old.decided_by_id, old.decided_at
    if old.words:
        words = words_of(request, bytes(old.words), part=words_part(old))
        # Seal the words again: a ciphertext can be opened only for the hit that it was sealed for.
        hit.words = sealed_words(request, words, part=words_part(hit))
    return old.decided_by_id


def _known(request: ErasureRequest, documents: Iterable[UUID]) -> set[_Key]:
    """Return the places that an earlier search found. Their decisions were made on these places and must stay."""
    there = InventoryHit.objects.filter(
        request=request, target_type=TargetType.DOCUMENT, target_id__any_of=set(documents)
    ).order_by()
    return set(there.values_list("item_id", "store", "part", "char_start", "char_end"))


def _key(hit: InventoryHit) -> _Key:
    return hit.item_id, hit.store, hit.part, hit.char_start, hit.char_end


def _stretch(hit: InventoryHit) -> Stretch:
    return Stretch(place=hit.place, start=hit.char_start, end=hit.char_end)
