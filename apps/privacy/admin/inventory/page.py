"""The inventory of a request: where somebody was found, place by place, until it can be proposed."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.erasure.admin.removals.words import counted
from apps.erasure.searched.unsearched import unsearched
from apps.errors import ApplicationError
from apps.privacy.admin.inventory.acts import ACTS
from apps.privacy.admin.inventory.rows import TREATMENTS, group_rows, open_rows, reasons_of
from apps.privacy.admin.requests.words import about, state_pill
from apps.privacy.codes.inventory import InventoryState
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import SubjectType
from apps.privacy.inventory.asking import is_assessed as is_assessed_now
from apps.privacy.inventory.documents import facts_of
from apps.privacy.inventory.selectors import grouped, newest, searched_last, standing, stores_searched
from apps.privacy.models import ErasureRequest, Inventory
from apps.privacy.proposals.prospect import prospect
from apps.privacy.requests.details import details_of
from apps.privacy.requests.errors import RequestPersonNeededError
from apps.privacy.requests.selectors import erasure_request, may_read_details
from apps.tenants.admin.base import may, require
from apps.tenants.context import current_scope, tenant_scope_ids
from apps.tenants.display import pill, progress
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_A_PAGE: Final = 10
_TONES: Final = {
    InventoryState.WAITING: "busy",
    InventoryState.RUNNING: "busy",
    InventoryState.DONE: "good",
    InventoryState.FAILED: "bad",
}
ERRORS: Final = {
    "audit.inventory_too_many": (
        "Too many places were found. Enter more details of the person, so that others are not found."
    ),
    "audit.inventory_worker_lost": "The worker stopped three times during the search. Check its log, then try again.",
    "corpus.nobody_described": "There is nothing to search for: complete what is known about the person.",
}


@require_http_methods(["GET", "HEAD", "POST"])
def inventory_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """For who works on requests, and who decides on them."""
    _require_reader(request)
    found = erasure_request(request_id)
    if request.method != "POST":
        return _show(request, found)
    require(request, Permission.PRIVACY_MANAGE)
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
    messages.success(request, said)
    if request.POST["act"] == "propose":
        return HttpResponseRedirect(reverse("admin:erasure_request", args=[found.id]))
    here = reverse("admin:erasure_inventory", args=[found.id])
    page, place = request.POST.get("page", ""), request.POST.get("place", "")
    query = f"?page={int(page)}" if page.isdigit() and len(page) < 6 else ""
    anchor = f"#{place}" if place.replace("-", "").isalnum() else ""
    return HttpResponseRedirect(f"{here}{query}{anchor}")


@require_safe
def inventory_progress_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """How far the search and the redacted versions are, as a fragment."""
    _require_reader(request)
    found = erasure_request(request_id)
    return TemplateResponse(request, "glassbox/inventory_progress.html", _moving(found))


def _require_reader(request: HttpRequest) -> None:
    if not may_read_details(principal_of(request)):
        require(request, Permission.PRIVACY_MANAGE)
        raise PermissionDenied


def _moving(found: ErasureRequest) -> dict[str, Any]:
    now: Inventory | None = newest(found)
    percent = int(100 * now.done / now.total) if now is not None and now.total else None
    return {
        "found": found,
        "now": now,
        "now_state": pill(now.get_state_display(), _TONES[InventoryState(now.state)]) if now else "",
        "bar": progress(percent, "How much of all texts has been searched") if now and now.is_moving else "",
        "trouble": ERRORS.get(now.error_code, "It can be tried again.") if now and now.error_code else "",
    }


def _show(request: HttpRequest, found: ErasureRequest, *, refusal: str = "", status: int = 200) -> HttpResponse:
    is_person = found.subject_type == SubjectType.DATA_SUBJECT
    last = searched_last(found) if is_person else None
    groups = grouped(found) if last else []
    page = Paginator(groups, _A_PAGE).get_page(request.GET.get("page"))
    is_assessed = is_assessed_now(found)
    is_readable = details_of(found) is not None
    there = standing(found) if last else None
    tenant, mine = current_scope().tenant_id, current_scope().scope_ids
    outlook = prospect(found) if is_assessed and is_readable and not found.is_access else None
    context = {
        **admin.site.each_context(request),
        **_moving(found),
        "title": f"Inventory of {found.reference}",
        "crumbs": [
            ("Access and erasure requests", reverse("admin:erasure_requests")),
            (found.reference, reverse("admin:erasure_request", args=[found.id])),
            ("Inventory", ""),
        ],
        "state": state_pill(RequestState(found.state), is_access=found.is_access),
        "about": about(found),
        "is_person": is_person,
        "is_assessed": is_assessed,
        "is_readable": is_readable,
        "manages": may(request, Permission.PRIVACY_MANAGE),
        "decides": may(request, Permission.PRIVACY_MANAGE) and is_assessed and is_readable,
        "last": last,
        "standing": there,
        "bar_decided": progress(100 * there.decided // there.total if there and there.total else 100, "Decided"),
        "missing_scopes": len(tenant_scope_ids(tenant) - mine),
        "stores": stores_searched(last) if last else (),
        "unsearched": unsearched() if last else (),
        "unread_files": _unread(last) if last else {},
        "groups": group_rows(found, list(page.object_list)) if is_readable else (),
        "page_obj": page,
        "reasons": [(label, [(each.value, each.label) for each in each_of]) for label, each_of in reasons_of(found)],
        "treatments": [(each.value, label) for each, label in TREATMENTS.items()],
        "outlook": outlook,
        "redactions_open": open_rows(found, groups, a_page=_A_PAGE) if outlook and is_person else (),
        "goes": counted(outlook.targets) if outlook and outlook.targets else "",
        "refusal": refusal,
    }
    request.__dict__["current_app"] = admin.site.name
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "glassbox/inventory.html", context, status=status, headers=headers)


def _unread(last: Inventory) -> dict[str, Any]:
    """The documents whose file was not searched: those of the open scope by their name, and how many others."""
    facts = facts_of(last.unread_files)
    return {"named": list(facts.values()), "others": len(last.unread_files) - len(facts), "all": last.unread_files}
