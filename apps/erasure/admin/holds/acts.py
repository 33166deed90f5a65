"""The decisions about a legal hold: place it, put more under it, review it, release it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from apps.erasure.admin.holds.forms import HoldForm, ItemsForm, ReleaseForm, ReviewForm
from apps.erasure.admin.holds.pick import chosen_targets, is_searching, picking
from apps.erasure.contracts import TargetType
from apps.erasure.hold_services import hold_items_add, hold_place, hold_release, hold_review_move
from apps.erasure.holds.errors import HoldError
from apps.erasure.holds.selectors import open_holds, target_of
from apps.erasure.models import LegalHold
from apps.erasure.runs.waiting import runs_waiting
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import form_page
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

View = Callable[[HttpRequest, UUID], HttpResponse]


def place_view(model_admin: TenantModelAdmin, request: HttpRequest) -> HttpResponse:
    require(request, Permission.PRIVACY_MANAGE)
    owner = str(principal_of(request).id)
    if is_searching(request):
        form = HoldForm(owner=owner, initial={name: request.POST.get(name, "") for name in HoldForm.base_fields})
    else:
        form = HoldForm(request.POST if request.method == "POST" else None, owner=owner)

    def act() -> HttpResponse:
        hold = hold_place(
            matter=form.cleaned_data["matter"],
            ground=form.cleaned_data["ground"],
            owner_id=UUID(form.cleaned_data["owner"]),
            review_on=form.cleaned_data["review_on"],
            targets=chosen_targets(request),
        )
        messages.success(request, "The hold is placed. From now on nobody can remove what it covers.")
        return HttpResponseRedirect(model_admin.url("change", hold.pk))

    return form_page(
        model_admin,
        request,
        form,
        act,
        title="Place a legal hold",
        intro="A legal hold prevents everybody from removing documents and parts of the log, for any reason, until "
        "somebody releases it.",
        action="Place the hold and restrict the documents",
        template="glassbox/hold_place.html",
        picking=picking(request),
    )


def items_view(model_admin: TenantModelAdmin) -> View:
    def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
        require(request, Permission.PRIVACY_MANAGE)
        hold = _open(model_admin, request, object_id)
        form = ItemsForm(request.POST if request.method == "POST" and not is_searching(request) else None)

        def act() -> HttpResponse:
            added = hold_items_add(hold_id=hold.id, targets=chosen_targets(request))
            count = len(added)
            messages.success(request, f"{count} item{'' if count == 1 else 's'} added to the hold.")
            return HttpResponseRedirect(model_admin.url("change", hold.pk))

        return form_page(
            model_admin,
            request,
            form,
            act,
            title=f"Put more under “{hold.matter}”",
            intro="Nobody can remove what you add until the whole hold is released.",
            action="Put under the hold and restrict the documents",
            crumbs=_crumbs(model_admin, hold, "Put more under it"),
            back=model_admin.url("change", hold.pk),
            template="glassbox/hold_place.html",
            picking=picking(request),
        )

    return view


def review_view(model_admin: TenantModelAdmin) -> View:
    def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
        require(request, Permission.PRIVACY_MANAGE)
        hold = _open(model_admin, request, object_id)
        form = ReviewForm(request.POST if request.method == "POST" else None)

        def act() -> HttpResponse:
            moved = hold_review_move(
                hold_id=hold.id, review_on=form.cleaned_data["review_on"], reason=form.cleaned_data["reason"]
            )
            messages.success(request, f"The hold continues. Its next review is on {moved.review_on:%d %b %Y}.")
            return HttpResponseRedirect(model_admin.url("change", hold.pk))

        return form_page(
            model_admin,
            request,
            form,
            act,
            title=f"Let “{hold.matter}” go on",
            intro=f"Its review was due on {hold.review_on:%d %b %Y}. Is the firm still obliged to keep what it "
            "covers? If so, say why, and when to ask again. If not, release the hold.",
            action="Let it go on until then",
            crumbs=_crumbs(model_admin, hold, "Review"),
            back=model_admin.url("change", hold.pk),
        )

    return view


def release_view(model_admin: TenantModelAdmin) -> View:
    def view(request: HttpRequest, object_id: UUID) -> HttpResponse:
        require(request, Permission.PRIVACY_MANAGE)
        hold = _open(model_admin, request, object_id)
        form = ReleaseForm(request.POST if request.method == "POST" else None)

        def act() -> HttpResponse:
            hold_release(hold_id=hold.id, reason=form.cleaned_data["reason"])
            messages.success(request, "The hold is released.")
            return HttpResponseRedirect(model_admin.url("change", hold.pk))

        return form_page(
            model_admin,
            request,
            form,
            act,
            title=f"Release “{hold.matter}”",
            intro="The firm is no longer obliged to keep what this hold covers.",
            action="Release the hold for good",
            crumbs=_crumbs(model_admin, hold, "Release"),
            back=model_admin.url("change", hold.pk),
            template="glassbox/hold_release.html",
            **_effects(hold),
        )

    return view


def _effects(hold: LegalHold) -> dict[str, Any]:
    targets = [target_of(item) for item in hold.items.all()]
    holders = open_holds(targets)
    still = [target for target in targets if len(holders.get(target, ())) > 1]
    freed = [target for target in targets if target not in still]
    documents = sum(target.type is TargetType.DOCUMENT for target in freed)
    return {
        "documents": documents,
        "parts": len(freed) - documents,
        "still": len(still),
        "waiting": runs_waiting(freed),
    }


def _open(model_admin: TenantModelAdmin, request: HttpRequest, object_id: UUID) -> LegalHold:
    """Raises Http404; HoldError."""
    hold: LegalHold = model_admin.find(request, str(object_id))
    if not hold.is_open:
        raise HoldError("audit.hold_released", hold=hold.id)
    return hold


def _crumbs(model_admin: TenantModelAdmin, hold: LegalHold, here: str) -> list[str | tuple[str, str]]:
    return [(hold.matter, model_admin.url("change", hold.pk)), here]
