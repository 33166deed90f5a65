"""The package of a request for access as a page: what it quotes, place by place; then made, taken out and sent."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST

from apps.errors import ApplicationError
from apps.privacy.access_packages.errors import PackageNotFoundError
from apps.privacy.access_packages.packages import package_make, package_of, package_take_out, problems_of
from apps.privacy.access_packages.quotes import things_of
from apps.privacy.access_packages.told import told_by_rules
from apps.privacy.admin.access.acts import ACTS
from apps.privacy.admin.requests.forms import ToldForm
from apps.privacy.admin.requests.words import state_pill, time_left
from apps.privacy.codes.inventory import Quoting
from apps.privacy.codes.life import RequestState
from apps.privacy.inventory.asking import is_assessed
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import details_of
from apps.privacy.requests.errors import RequestPersonNeededError
from apps.privacy.requests.selectors import erasure_request
from apps.tenants.admin.base import require
from apps.tenants.admin.read import number_read
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.roles import Permission
from apps.tenants.selectors.people import names_of

_A_PAGE: Final = 10


@require_http_methods(["GET", "HEAD", "POST"])
def access_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """For who manages privacy alone: nobody else has a part in it."""
    require(request, Permission.PRIVACY_MANAGE)
    found = _found(request_id)
    if request.method != "POST":
        return _show(request, found)
    if request.POST.get("act") == "make":
        return _make(request, found)
    act = ACTS.get(request.POST.get("act", ""))
    if act is None:
        return _show(request, found, refusal="Nothing was done: choose one of the options below.", status=400)
    try:
        with transaction.atomic():
            said = act(found.id, request.POST)
    except (PermissionDeniedError, RequestPersonNeededError):
        raise
    except ApplicationError as error:
        found.refresh_from_db()
        return _show(request, found, refusal=error.detail, status=error.status)
    return _back(request, found, said)


@require_POST
def access_download_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """The ZIP. Its name says the number of the request, and nothing of the person."""
    require(request, Permission.PRIVACY_MANAGE)
    found = _found(request_id)
    try:
        with transaction.atomic():
            content = package_take_out(found.id)
    except PackageNotFoundError as error:
        return _show(request, found, refusal=error.detail, status=error.status)
    response = HttpResponse(content, content_type="application/zip")
    response["Content-Disposition"] = content_disposition_header(True, f"{found.reference}.zip") or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def _found(request_id: UUID) -> ErasureRequest:
    found = erasure_request(request_id)
    if not found.is_access:
        raise Http404("Packages are made only for access requests.")
    return found


def _make(request: HttpRequest, found: ErasureRequest) -> HttpResponse:
    form = ToldForm(request.POST)
    if not form.is_valid():
        return _show(request, found, form=form, status=422)
    try:
        with transaction.atomic():
            package_make(found.id, revision=number_read(request.POST), told=form.told())
    except (PermissionDeniedError, RequestPersonNeededError):
        raise
    except ApplicationError as error:
        found.refresh_from_db()
        return _show(request, found, form=form, refusal=error.detail, status=error.status)
    return _back(request, found, "The package is made. Download and check it before you answer.")


def _back(request: HttpRequest, found: ErasureRequest, said: str) -> HttpResponse:
    messages.success(request, said)
    page, place = request.POST.get("page", ""), request.POST.get("place", "")
    query = f"?page={int(page)}" if page.isdigit() and len(page) < 6 else ""
    anchor = f"#{place}" if place.replace("-", "").isalnum() else ""
    return HttpResponseRedirect(f"{reverse('admin:access_package', args=[found.id])}{query}{anchor}")


def _show(
    request: HttpRequest,
    found: ErasureRequest,
    *,
    form: ToldForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    is_readable = details_of(found) is not None
    things = things_of(found) if is_readable else ()
    assessed = is_assessed(found) and is_readable
    package = package_of(found)
    quotes = [quote for thing in things for quote in thing.quotes]
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        "title": f"Package of {found.reference}",
        "crumbs": [
            ("Access and erasure requests", reverse("admin:erasure_requests")),
            (found.reference, reverse("admin:erasure_request", args=[found.id])),
            ("Package", ""),
        ],
        "found": found,
        "state": state_pill(RequestState(found.state), is_access=True),
        "time": time_left(found),
        "package": package,
        "left_out": package.places - package.quoted if package else 0,
        "made_by": names_of([package.made_by_id]).get(package.made_by_id, "") if package else "",
        "is_ready": found.state == RequestState.INVENTORY_READY,
        "is_assessed": assessed,
        "is_readable": is_readable,
        "problems": problems_of(found, things) if assessed else (),
        "form": form or (ToldForm(initial=asdict(told_by_rules(found.language))) if assessed else None),
        "total": len(quotes),
        "open": sum(quote.is_open for quote in quotes),
        "quotings": [(each.value, each.label) for each in Quoting],
        "page_obj": Paginator(things, _A_PAGE).get_page(request.GET.get("page")),
        "refusal": refusal,
    }
    request.__dict__["current_app"] = admin.site.name
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "glassbox/access.html", context, status=status, headers=headers)
