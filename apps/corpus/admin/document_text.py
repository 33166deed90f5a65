"""A page as it is printed beside its text as it was read, with the quote marked that a citation points to.

Citations link here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse

from apps.corpus.admin.document_hits import Hit, Trail, shown_hits
from apps.corpus.admin.document_layout import lay_out
from apps.corpus.admin.document_record import quoted_fields
from apps.corpus.errors import DocumentNotFoundError, PageWithoutImageError
from apps.corpus.extraction import ExtractionError
from apps.corpus.extraction.contracts import MediaType
from apps.corpus.models import Chunk, Document, DocumentStatus, Page
from apps.corpus.reader.contracts import PagePicture
from apps.corpus.reader.errors import DrawingBusyError
from apps.corpus.reader.places import Places, find_places
from apps.corpus.services.page_images import SHOWN_SCALE, page_image
from apps.corpus.services.records.identity import record_lineage
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import page
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

# CSS has 96 pixels to the inch, and PDF 72 points.
_PIXELS_PER_POINT = 96 / 72
_MOST_DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A page's text, cut where the mark begins and ends; problem says why there is no mark although one was asked."""

    before: str
    marked: str
    after: str
    problem: str = ""

    @property
    def span(self) -> tuple[int, int]:
        return len(self.before), len(self.before) + len(self.marked)


def mark(text: str, start: str | None, end: str | None) -> MarkedText:
    """Cut a text at a character span, as an address gives it. Pure."""
    if start is None and end is None:
        return MarkedText(before=text, marked="", after="")
    problem = ""
    if not all((each or "").isdecimal() and len(each or "") < _MOST_DIGITS for each in (start, end)):
        problem = "The address names no character span; the page is shown without a mark."
    elif not int(start or 0) < int(end or 0) <= len(text):
        problem = f"The address marks characters {start} to {end}; this page has {len(text)}."
    if problem:
        return MarkedText(before=text, marked="", after="", problem=problem)
    first, last = int(start or 0), int(end or 0)
    return MarkedText(before=text[:first], marked=text[first:last], after=text[last:])


def page_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    @opens_own_scopes
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        """?page=34&start=120&end=180: page 34, with its characters 120 to 180 marked. More: see document_hits.py.

        No transaction is open while the page is drawn.
        """
        require(request, Permission.DOCUMENT_VIEW)
        principal = principal_of(request)
        scopes = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
        with scopes.open():
            found = _find(model_admin, request, object_id)
        picture, problem = _picture(found.document, found.shown, scopes)
        with scopes.open():
            return _render(model_admin, request, found, picture, problem)

    return view


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A page of a document; problem says which one was asked for where there is no such page."""

    document: Document
    shown: Page
    problem: str = ""


def _find(model_admin: TenantModelAdmin, request: HttpRequest, object_id: str) -> _Found:
    document: Document = model_admin.find(request, str(object_id))
    wanted = request.GET.get("page", "1")
    number = int(wanted) if wanted.isdecimal() and len(wanted) < 7 else 0
    shown = document.pages.filter(number=number).first()
    if shown is not None:
        return _Found(document=document, shown=shown)
    pages = document.pages.order_by("number")
    nearest = pages.filter(number__lte=number).last() or pages.first()
    if nearest is None:
        raise Http404(f"{document.title} has no pages: it has not been read, or could not be.")
    problem = f"There is no page {wanted[:12]}: the document has {document.page_count}. This is page {nearest.number}."
    return _Found(document=document, shown=nearest, problem=problem)


def _picture(document: Document, shown: Page, scopes: ShortScopes) -> tuple[PagePicture | None, str]:
    """Return the page's image, or why there is none; nothing of both for a format without printed pages."""
    if document.media_type != MediaType.PDF:
        return None, ""
    try:
        return page_image(document_id=document.id, number=shown.number, scopes=scopes), ""
    except DocumentNotFoundError as error:
        raise Http404(error.detail) from None
    except (ExtractionError, PageWithoutImageError, DrawingBusyError) as error:
        return None, error.detail


def _render(
    model_admin: TenantModelAdmin, request: HttpRequest, found: _Found, picture: PagePicture | None, problem: str
) -> HttpResponse:
    document, shown = found.document, found.shown
    numbers = list(document.pages.order_by("number").values_list("number", flat=True))
    place = numbers.index(shown.number) if shown.number in numbers else 0
    span = (None, None) if found.problem else (request.GET.get("start"), request.GET.get("end"))
    text = mark(shown.text, *span)
    trail = Trail.of(request.GET)
    here = Hit(document.id, shown.number, *text.span)
    chunks = list(Chunk.objects.filter(document=document, is_parent=False, page_start=shown.number).order_by("number"))
    lineage = record_lineage(document)
    return page(
        model_admin,
        request,
        "glassbox/document_page.html",
        title=f"{document.title}, page {shown.number}",
        crumbs=[(document.title, model_admin.url("change", document.pk)), f"Page {shown.number}"],
        status=404 if found.problem else 200,
        document=document,
        shown=shown,
        blocks=lay_out(
            shown.text,
            marked=text.span,
            headings=lineage.headings if lineage else _headings(chunks),
            guesses=lineage is None,
        ),
        quote=text.marked,
        fields=quoted_fields(lineage, page=shown.number, start=text.span[0], end=text.span[1]),
        notes=[each for each in (found.problem, text.problem, trail.problem) if each],
        previous=f"?{trail.query(page=numbers[place - 1])}" if place else "",
        following=f"?{trail.query(page=numbers[place + 1])}" if place + 1 < len(numbers) else "",
        trail=trail,
        hits=shown_hits(trail, here),
        previous_hit=trail.beside(here, -1),
        next_hit=trail.beside(here, 1),
        sheet=_sheet(model_admin, document, shown, picture, text) if picture else None,
        image_problem=problem,
        chunks=[
            (chunk, f"?{trail.query(page=shown.number, start=chunk.char_start, end=chunk.char_end)}")
            for chunk in chunks
        ],
        is_current=document.status == DocumentStatus.READY,
        newer=_newer(document),
    )


def _headings(chunks: list[Chunk]) -> set[str]:
    return {part.strip() for chunk in chunks for part in chunk.section.split(" \u203a ") if part.strip()}


def _newer(document: Document) -> Document | None:
    """Return the version in force, where this is another."""
    if document.status != DocumentStatus.SUPERSEDED:
        return None
    newer: Document | None = Document.objects.filter(series_id=document.series_id, status=DocumentStatus.READY).first()
    return newer


def _sheet(
    model_admin: TenantModelAdmin, document: Document, shown: Page, picture: PagePicture, text: MarkedText
) -> dict[str, Any]:
    """Return the image with what is marked on it. It is as wide as paper at 100 %."""
    places = find_places(picture, shown.text, *text.span) if text.marked else Places()
    problem = ""
    if text.marked and not places.boxes:
        problem = "The quote was not found on the image. It is marked in the text."
    elif text.marked and not places.is_whole:
        problem = "Only parts of the quote were found on the image. The whole quote is marked in the text."
    return {
        "url": model_admin.url("page_image", document.pk, shown.number),
        "width": round(picture.width_pt * _PIXELS_PER_POINT),
        "height": round(picture.height_pt * _PIXELS_PER_POINT),
        "places": places,
        "problem": problem,
        "scale": SHOWN_SCALE,
    }
