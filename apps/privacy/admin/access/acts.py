"""What a DPO does on the page of an access package. Each act reads its fields and calls one service."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final
from uuid import UUID

from django.http import QueryDict

from apps.privacy.access_packages.errors import AccessPackageError
from apps.privacy.access_packages.packages import package_take_back
from apps.privacy.access_packages.quoting import Chosen, quotes_decide, quotes_decide_at_once
from apps.privacy.codes.inventory import Quoting
from apps.privacy.inventory.errors import InventoryError
from apps.tenants.admin.read import number_read

_MOST_WORDS: Final = 1_000  # characters


def _quote(id: UUID, post: QueryDict) -> str:
    chosen = str(post.get("quoting", ""))
    if chosen not in Quoting.values:
        raise AccessPackageError("audit.access_quoting_missing")
    quoting = Quoting(chosen)
    hidden = _words(post) if quoting is Quoting.QUOTED else ()
    quotes_decide(id, [Chosen(hit_id=_id(post), seen=_seen(post), quoting=quoting, hidden=hidden)])
    return "Kept."


def _again(id: UUID, post: QueryDict) -> str:
    quotes_decide(id, [Chosen(hit_id=_id(post), seen=_seen(post), quoting=None)])
    return "The quote is open again."


def _at_once(id: UUID, post: QueryDict) -> str:
    try:
        seen = [UUID(each) for each in post.get("hits", "").split(",") if each]
    except ValueError:
        raise InventoryError("audit.inventory_hit_not_found") from None
    count = quotes_decide_at_once(id, seen, hidden=_words(post))
    return f"{count} place{'s are' if count != 1 else ' is'} quoted."


def _take_back(id: UUID, post: QueryDict) -> str:
    package_take_back(id, revision=number_read(post))
    return "The package is destroyed. Make your changes, then make a new package."


ACTS: Final[Mapping[str, Callable[[UUID, QueryDict], str]]] = {
    "quote": _quote,
    "again": _again,
    "at_once": _at_once,
    "take_back": _take_back,
}


def _id(post: QueryDict) -> UUID:
    try:
        return UUID(str(post.get("hit", "")))
    except ValueError:
        raise InventoryError("audit.inventory_hit_not_found") from None


def _seen(post: QueryDict) -> str:
    seen = str(post.get("seen", ""))
    return seen if seen in Quoting.values else ""


def _words(post: QueryDict) -> tuple[str, ...]:
    said = str(post.get("hidden", ""))[:_MOST_WORDS].split(";")
    return tuple(dict.fromkeys(" ".join(each.split()) for each in said if each.strip()))
