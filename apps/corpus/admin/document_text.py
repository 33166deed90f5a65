"""A page's text as it was read, with the quote that a citation points to. Citations link here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse

from apps.corpus.models import Chunk, Document, Page
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import page
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A page's text, cut where the mark begins and ends; problem says why there is no mark although one was asked."""

    before: str
    marked: str
    after: str
    problem: str = ""


def mark(text: str, start: str | None, end: str | None) -> MarkedText:
    """Cut a text at a character span, as an address gives it. Pure."""
    if start is None and end is None:
        return MarkedText(before=text, marked="", after="")
    problem = ""
    if not (start or "").isdecimal() or not (end or "").isdecimal():
        problem = "The address names no character span; the page is shown without a mark."
    elif not int(start or 0) < int(end or 0) <= len(text):
        problem = f"The address marks characters {start} to {end}; this page has {len(text)}."
    if problem:
        return MarkedText(before=text, marked="", after="", problem=problem)
    first, last = int(start or 0), int(end or 0)
    return MarkedText(before=text[:first], marked=text[first:last], after=text[last:])


def page_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        """?page=34&start=120&end=180: page 34, with its characters 120 to 180 marked."""
        require(request, Permission.DOCUMENT_VIEW)
        document: Document = model_admin.find(request, str(object_id))
        wanted = request.GET.get("page", "1")
        shown = document.pages.filter(number=int(wanted)).first() if wanted.isdecimal() and len(wanted) < 7 else None
        if shown is None:
            raise Http404(f"{document.title} has no page {wanted[:12]}; it has {document.page_count}.")
        return _render(model_admin, request, document, shown)

    return view


def _render(model_admin: TenantModelAdmin, request: HttpRequest, document: Document, shown: Page) -> HttpResponse:
    numbers = list(document.pages.order_by("number").values_list("number", flat=True))
    place = numbers.index(shown.number)
    return page(
        model_admin,
        request,
        "glassbox/document_page.html",
        title=f"{document.title}, page {shown.number}",
        crumbs=[(document.title, model_admin.url("change", document.pk)), f"Page {shown.number}"],
        document=document,
        shown=shown,
        text=mark(shown.text, request.GET.get("start"), request.GET.get("end")),
        previous=numbers[place - 1] if place else None,
        following=numbers[place + 1] if place + 1 < len(numbers) else None,
        chunks=list(
            Chunk.objects.filter(document=document, is_parent=False, page_start=shown.number).order_by("number")
        ),
        is_current=document.status == "ready",
    )
