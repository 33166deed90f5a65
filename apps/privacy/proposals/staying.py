"""Places of a person that were found and still stay, and documents that stay in a redacted version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.erasure.contracts import Target, TargetType
from apps.erasure.runs.staying import EXPIRES, GOES_BY_ITSELF, Reason
from apps.privacy.codes.inventory import Decision
from apps.privacy.inventory.documents import redacted_states, versions_before
from apps.privacy.inventory.replaced import going_documents
from apps.privacy.inventory.selectors import hits_of, redacted_versions
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.whole import whole_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Staying:
    """Places that this request does not remove: how many, and on which ground."""

    places: int
    ground: str


def staying_by_code(request: ErasureRequest) -> list[dict[str, Any]]:
    """Return, for the run and its certificate, codes and counts of the places that were found and stay."""
    going = going_documents(request)
    with whole_tenant():
        # Count a place that was carried over to a redacted version only there, and no places in removed documents.
        again = hits_of(request).filter(carried_from_id__isnull=False).values("carried_from_id")
        kept = hits_of(request).filter(reason__in=(Reason.LEGAL_DUTY, Reason.LEGAL_CLAIMS)).exclude(id__in=again)
        kept = kept.exclude(target_type=TargetType.DOCUMENT, target_id__any_of=going)
        places = Counter(kept.order_by().values_list("reason", "store"))
        confirmed = hits_of(request).filter(decision=Decision.CONFIRMED, store__in=GOES_BY_ITSELF)
        places += Counter((EXPIRES, store) for store in confirmed.order_by().values_list("store", flat=True))
    return [{"ground": ground, "store": store, "places": count} for (ground, store), count in sorted(places.items())]


def staying_in_words(request: ErasureRequest) -> tuple[Staying, ...]:
    """Return in words the places that stay although they are about the person, and those that expire by themselves."""
    by_ground: Counter[str] = Counter()
    for each in staying_by_code(request):
        ground = GOES_BY_ITSELF[each["store"]] if each["ground"] == EXPIRES else str(Reason(each["ground"]).label)
        by_ground[ground] += each["places"]
    return tuple(Staying(places=places, ground=ground) for ground, places in sorted(by_ground.items()))


def redacted_documents(request: ErasureRequest, targets: Sequence[Target]) -> list[dict[str, Any]]:
    """Return the documents that stay in a redacted version, for the run and its certificate.

    A redacted version in which the person was found again is itself a target; the redacted version after it stays.
    """
    going = {target.id for target in targets if target.type is TargetType.DOCUMENT}
    found = []
    with whole_tenant():
        states = redacted_states(redacted_versions(request))
        for id in sorted(states.keys() - going):
            older = sum(target.id in going for target in versions_before([id]))
            if older:
                found.append({"document": str(id), "version": states[id].number, "older": older})
    return found
