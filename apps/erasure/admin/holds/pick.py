"""Choosing what a hold is on: what was chosen, and what a search finds besides. Works without a script."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest

from apps.erasure.admin.holds.links import code_of, target_of_code
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.holdable import Item
from apps.erasure.hold_services import MOST_ITEMS
from apps.erasure.holds.items import describe, search
from apps.tenants.admin.addresses import address

_MOST_FOUND = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A line of the page: value is the form's; url is the item's own page."""

    value: str
    name: str
    detail: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picking:
    """found: None where nothing was searched for. missing: how many of the chosen are not there for this person."""

    chosen: tuple[Choice, ...]
    found: tuple[Choice, ...] | None
    words: str
    missing: int
    most_found: int = _MOST_FOUND


def chosen_targets(request: HttpRequest) -> list[Target]:
    codes = [*request.GET.getlist("item"), *request.POST.getlist("item")]
    targets = (target_of_code(code) for code in codes)
    known = {target for target in targets if target and target.type in (TargetType.DOCUMENT, TargetType.EVENT_GROUP)}
    return sorted(known)[: MOST_ITEMS + 1]


def is_searching(request: HttpRequest) -> bool:
    return request.method == "POST" and "find" in request.POST


def picking(request: HttpRequest) -> Picking:
    """What the page shows. Costs: a query or two, two more for a search."""
    targets = chosen_targets(request)
    there = describe(targets)
    words = request.POST.get("words", "").strip()
    found = _search(words) if is_searching(request) else None
    return Picking(
        chosen=tuple(_choice(there[target]) for target in targets if target in there),
        found=None if found is None else tuple(_choice(item) for item in found if item.target not in there),
        words=words,
        missing=sum(target not in there for target in targets),
    )


def _search(words: str) -> Iterable[Item]:
    return [
        *search(words, type=TargetType.DOCUMENT, limit=_MOST_FOUND),
        *search(words, type=TargetType.EVENT_GROUP, limit=_MOST_FOUND),
    ]


def choices_of(targets: Iterable[Target]) -> dict[Target, Choice]:
    """Those that are there for this person, in words."""
    return {target: _choice(item) for target, item in describe(targets).items()}


def _choice(item: Item) -> Choice:
    url = address(item.page, item.page_id)
    return Choice(value=code_of(item.target), name=item.name, detail=item.detail, url=url)
