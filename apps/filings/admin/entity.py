"""Entities: search for one, and everything about it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from apps.filings.admin.company import company_url
from apps.filings.admin.entity_neighbours import Neighbour, draw, neighbours_of
from apps.filings.graph.contracts import LONGEST_NAME, EntityType
from apps.filings.selectors import companies_named
from apps.filings.selectors.entities import (
    DocumentMentions,
    beside,
    entity_of_key,
    find_entities,
    find_of_all_types,
    mentions_of_entity,
    relations_of,
)
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission

_MOST_PAGES_SHOWN: Final = 12


@require_safe
def entities_view(request: HttpRequest) -> HttpResponse:
    """Search for entities by the beginning of a name; with ?key=KEY everything about one."""
    require(request, Permission.DOCUMENT_VIEW)
    if "key" in request.GET:
        return _entity(request, request.GET["key"])
    words = " ".join(request.GET.get("q", "").replace("\x00", "").split())[:LONGEST_NAME]
    wanted = request.GET.get("type", "")
    type = EntityType(wanted) if wanted in EntityType.values else None
    found = (find_entities(words, type) if type else find_of_all_types(words)) if words or type else []
    return _page(
        request,
        "glassbox/entities.html",
        title="Entities",
        crumbs=[("Entities", "")],
        words=words,
        wanted=wanted,
        types=EntityType.choices,
        asked=bool(words or type),
        found=[(each, entity_url(each.key)) for each in found],
    )


def _entity(request: HttpRequest, key: str) -> HttpResponse:
    entity = entity_of_key(key)
    if entity is None:
        raise Http404("No document in your scopes names this.")
    neighbours = [_linked(each) for each in neighbours_of(entity.key, relations_of([key]))]
    companies = companies_named(entity.name) if entity.type is EntityType.ORGANISATION else []
    return _page(
        request,
        "glassbox/entity.html",
        title=f"Everything about {entity.name}",
        crumbs=[("Entities", reverse("admin:entities")), (f"Everything about {entity.name}", "")],
        entity=entity,
        years=_by_year(mentions_of_entity(key)),
        neighbours=neighbours,
        drawing=draw(entity.name, [each for each, _, _ in neighbours]),
        beside=[(each, entity_url(each.key)) for each in beside(key)],
        figures_url=company_url(companies[0]) if companies else "",
    )


def entity_url(key: str) -> str:
    """Return the address of the page about an entity."""
    return f"{reverse('admin:entities')}?{urlencode({'key': key})}"


def _linked(neighbour: Neighbour) -> tuple[Neighbour, str, str]:
    """Return a neighbour with its own address, if it has a page, and that of the page with the sentence marked."""
    stated = neighbour.stated
    own = "" if neighbour.end.type is EntityType.DOCUMENT else entity_url(neighbour.end.key)
    return neighbour, own, _place_url(stated.document_id, stated.page, stated.start, stated.end)


def _by_year(mentions: list[DocumentMentions]) -> list[tuple[str, int, list[Any]]]:
    """Return year, number of mentions and documents of each fiscal year, the latest first, with the links of pages."""
    years: dict[str, list[Any]] = {}
    for each in mentions:
        pages = [
            (place.page, _place_url(each.document_id, place.page, place.start, place.end))
            for place in each.pages[:_MOST_PAGES_SHOWN]
        ]
        further = len(each.pages) - len(pages)
        document_url = reverse("admin:corpus_document_change", args=[each.document_id])
        years.setdefault(str(each.fiscal_year or "No year"), []).append((each, document_url, pages, further))
    return [(year, sum(each.times for each, *_ in rows), rows) for year, rows in years.items()]


def _place_url(document_id: UUID, page: int, start: int, end: int) -> str:
    place = urlencode({"page": page, "start": start, "end": end})
    return f"{reverse('admin:corpus_document_page', args=[document_id])}?{place}"


def _page(request: HttpRequest, template: str, **context: Any) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    every = {**admin.site.each_context(request), **context}
    return TemplateResponse(request, template, every, headers={"Cache-Control": "no-store"})
