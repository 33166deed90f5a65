"""The quotes that an answer cites, as an address carries them from page to page: ids and places, never a text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from django.db.models import Q
from django.http import QueryDict
from django.urls import Resolver404, resolve, reverse
from django.utils.http import urlencode
from django.utils.text import Truncator

from apps.corpus.models import Page

MOST_HITS: Final = 24
_HIT: Final = re.compile(r"([0-9a-f]{32})\.(\d{1,6})\.(\d{1,7})\.(\d{1,7})")
_LOCAL: Final = re.compile(r"/[\w./-]{1,199}")
_EXCERPT: Final = 180


@dataclass(frozen=True, slots=True)
class Hit:
    """Characters start to end of a page's text."""

    document_id: UUID
    page: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.document_id.hex}.{self.page}.{self.start}.{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownHit:
    """text and title are empty where the document is gone, or is not the reader's to see."""

    number: int
    url: str
    page: int
    title: str
    text: str
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Trail:
    """What brought the reader here: the quotes of an answer, and where the answer is.

    problem: what the address says that can't be used.
    """

    hits: tuple[Hit, ...] = ()
    answer: str = ""
    problem: str = ""

    @classmethod
    def of(cls, asked: QueryDict) -> Trail:
        hits, answer = asked.get("hits", ""), asked.get("answer", "")
        read = [_HIT.fullmatch(each) for each in hits.split("~")] if hits else []
        known = tuple(
            dict.fromkeys(Hit(UUID(each[1]), int(each[2]), int(each[3]), int(each[4])) for each in read if each)
        )
        problem = ""
        if not all(read) or len(known) > MOST_HITS:
            problem = f"The address names quotes that can't be read, or more than {MOST_HITS}; they are left out."
        elif answer and not _is_page(answer):
            problem = "The address names no page of this site as the answer; there is no way back to it from here."
        return cls(hits=known[:MOST_HITS], answer=answer if _is_page(answer) else "", problem=problem)

    def query(self, **place: int) -> str:
        """Return a query that keeps the trail. Args: place: page, start and end."""
        kept = {"hits": "~".join(map(str, self.hits)), "answer": self.answer}
        return urlencode([*place.items(), *((name, value) for name, value in kept.items() if value)])

    def url(self, hit: Hit) -> str:
        address = reverse("admin:corpus_document_page", args=[hit.document_id])
        return f"{address}?{self.query(page=hit.page, start=hit.start, end=hit.end)}#quote"

    def beside(self, here: Hit, step: int) -> str:
        """Return the address of the next quote (step 1) or the one before it (-1); "" where there is none.

        Away from all quotes, the next is the first on a later page of the document, or the first of all.
        """
        if here in self.hits:
            number = self.hits.index(here) + step
        elif step < 0:
            earlier = [each for each in self.hits if each.document_id == here.document_id and each.page < here.page]
            number = self.hits.index(earlier[-1]) if earlier else -1
        else:
            later = [each for each in self.hits if each.document_id == here.document_id and each.page >= here.page]
            number = self.hits.index(later[0]) if later else 0
        return self.url(self.hits[number]) if 0 <= number < len(self.hits) else ""


def shown_hits(trail: Trail, here: Hit) -> list[ShownHit]:
    """Return the quotes as the open scope sees them. Costs: one query."""
    wanted = Q()
    for hit in trail.hits:
        wanted |= Q(document_id=hit.document_id, number=hit.page)
    pages = Page.objects.filter(wanted).select_related("document") if trail.hits else ()
    found = {(page.document_id, page.number): page for page in pages}
    return [
        _shown(number, trail, hit, found.get((hit.document_id, hit.page)), here)
        for number, hit in enumerate(trail.hits, 1)
    ]


def _shown(number: int, trail: Trail, hit: Hit, page: Page | None, here: Hit) -> ShownHit:
    return ShownHit(
        number=number,
        url=trail.url(hit),
        page=hit.page,
        title=page.document.title if page else "",
        text=Truncator(page.text[hit.start : hit.end]).chars(_EXCERPT) if page else "",
        is_current=hit == here,
    )


def _is_page(address: str) -> bool:
    """Whether an address is a path of the admin, and nothing else: no host, no query, no way up."""
    if not _LOCAL.fullmatch(address) or "//" in address or "/." in address or urlsplit(address).path != address:
        return False
    try:
        return address.startswith(reverse("admin:index")) and bool(resolve(address).url_name)
    except Resolver404:
        return False
