"""Decide whether the words around confirmed places are quoted, partly hidden, or left out (Article 15(4))."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import transaction

from apps.privacy.access_packages.errors import AccessPackageError
from apps.privacy.access_packages.quotes import AROUND_CHARS, hidden_part, hiding
from apps.privacy.codes.inventory import Decision, Quoting
from apps.privacy.inventory.asking import require_assessed
from apps.privacy.inventory.errors import InventoryError
from apps.privacy.inventory.excerpts import Excerpts
from apps.privacy.inventory.selectors import require_hits
from apps.privacy.models import ErasureRequest, InventoryHit
from apps.privacy.requests.details import sealed_words
from apps.privacy.requests.events import tell
from apps.privacy.requests.services.stepping import locked_request, require_access, require_manager

_FIELDS: Final = ["quoting", "hidden"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A decision about the quote of one place.

    seen: the decision that the deciding person was shown; empty where there was none.
    quoting: None takes a decision back. hidden: words around the place that are about others; they are sealed.
    """

    hit_id: UUID
    seen: str
    quoting: Quoting | None
    hidden: tuple[str, ...] = field(default=(), repr=False)


def quotes_decide(request_id: UUID, chosen: Sequence[Chosen]) -> int:
    """Decide about several quotes in the name of the acting person: all of them or none. Returns: how many.

    Raises: PermissionDeniedError, RequestPersonNeededError, RequestError; InventoryError: there is none, or a place
            does not exist, is not confirmed, or lies outside the caller's scopes; AccessPackageError: somebody else
            decided first, or the words to hide are not there.
    Costs:  one or two queries per place, and one event.
    """
    require_manager()
    with transaction.atomic():
        request = _assessed(request_id)
        wanted = {each.hit_id: each for each in chosen}
        rows = require_hits(request).filter(id__in=wanted, decision=Decision.CONFIRMED)
        hits = {hit.id: hit for hit in rows.select_for_update(no_key=True)}
        if hits.keys() != wanted.keys():
            raise InventoryError("audit.inventory_hit_not_found")
        if late := sum(hits[id].quoting != each.seen for id, each in wanted.items()):
            raise AccessPackageError("audit.access_quoting_changed", count=late)
        excerpts = Excerpts(around=AROUND_CHARS)
        for id, each in wanted.items():
            _set(request, hits[id], each, excerpts)
        _tell(request, hits.values())
    return len(wanted)


def quotes_decide_at_once(request_id: UUID, seen: Iterable[UUID], *, hidden: Sequence[str] = ()) -> int:
    """Quote all of these places that have no decision yet, and hide in each those of the words that are around it.

    Args:   seen: the places whose words the deciding person was shown.
            hidden: the words to hide.
    Returns: how many; places that somebody else decided about in the meantime, or that can't be read, do not change.
    Raises: as quotes_decide; AccessPackageError: one of the words is around none of the places.
    """
    require_manager()
    with transaction.atomic():
        request = _assessed(request_id)
        rows = require_hits(request).filter(id__in=list(seen), decision=Decision.CONFIRMED, quoting="")
        excerpts, done, found = Excerpts(around=AROUND_CHARS), [], set[str]()
        for hit in rows.select_for_update(no_key=True):
            excerpt = excerpts.of(hit)
            if excerpt is None:
                continue
            there = hiding(excerpt, hidden)[1]
            found |= there
            words = tuple(each for each in hidden if each in there)
            _set(request, hit, Chosen(hit_id=hit.id, seen="", quoting=Quoting.QUOTED, hidden=words), excerpts)
            done.append(hit)
        if set(hidden) - found:
            raise AccessPackageError("audit.access_hidden_words")
        if done:
            _tell(request, done, at_once=True)
    return len(done)


def _assessed(request_id: UUID) -> ErasureRequest:
    request = locked_request(request_id)
    require_access(request)
    require_assessed(request)
    return request


def _set(request: ErasureRequest, hit: InventoryHit, chosen: Chosen, excerpts: Excerpts) -> None:
    hit.quoting, hit.hidden = chosen.quoting or "", None
    if chosen.quoting is Quoting.QUOTED:
        excerpt = excerpts.of(hit)
        if excerpt is None:
            raise AccessPackageError("audit.access_quote_unreadable")
        words = tuple(dict.fromkeys(" ".join(each.split()) for each in chosen.hidden if each.strip()))
        if set(words) - hiding(excerpt, words)[1]:
            raise AccessPackageError("audit.access_hidden_words")
        hit.hidden = sealed_words(request, "\n".join(words), part=hidden_part(hit.id)) if words else None
    hit.save(update_fields=_FIELDS)


def _tell(request: ErasureRequest, hits: Iterable[InventoryHit], *, at_once: bool = False) -> None:
    every = list(hits)
    counted = Counter(hit.quoting for hit in every)
    tell(
        "quoted",
        request,
        places=len(every),
        quoted=counted[Quoting.QUOTED],
        left_out=counted[Quoting.LEFT_OUT],
        hidden=sum(hit.hidden is not None for hit in every),
        at_once=at_once,
    )
