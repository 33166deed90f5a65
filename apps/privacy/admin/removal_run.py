"""A run of removals: what goes, who says so, how far it has come, and what stays. Purges and requests link to it."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminSelectWidget

from apps.corpus.admin.document_remove import removal_notes
from apps.erasure.admin.removals.proof import proof_parts, residue_of
from apps.erasure.admin.removals.restored import restored_of_run
from apps.erasure.admin.removals.standing import standing_names
from apps.erasure.admin.removals.words import (
    ERRORS,
    GROUNDS,
    ORIGIN_PAGES,
    REASONS,
    REJECTIONS,
    TONES,
    UNPROVEN,
    came_since_in_words,
    counted,
    staying_in_words,
    target_rows,
)
from apps.erasure.certificate.selectors import certificates_of
from apps.erasure.contracts import WHOLE, Origin, Proof, RunState, TargetType
from apps.erasure.declarations.holdable import Item
from apps.erasure.holds.items import describe
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.flow import RUNS
from apps.erasure.runs.runs import RejectionReason, run_approve, run_reject, run_retry, target_of
from apps.erasure.runs.selectors import RunProgress, progress_of, run_of, words_of
from apps.erasure.runs.unproven import MAY_ASK, Unproven, unproven_agree, unproven_ask, unproven_take_back
from apps.errors import ApplicationError
from apps.privacy.inventory.selectors import set_aside_of
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import may, require
from apps.tenants.admin.read import number_read
from apps.tenants.display import pill, progress
from apps.tenants.flows.checks import steps_offered
from apps.tenants.models import User
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

SHOWN: Final = 100


class _UnprovenForm(forms.Form):
    unproven = forms.ChoiceField(
        label="Why the physical proof can't be made", choices=Unproven.choices, widget=UnfoldAdminSelectWidget
    )


class _RejectionForm(forms.Form):
    reason = forms.ChoiceField(
        label="Why",
        choices=[(code, words) for code, words in REJECTIONS.items() if code is not RejectionReason.WITHDRAWN],
        widget=UnfoldAdminSelectWidget,
    )


def removal_run_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The page, and the decisions on it: approve, reject, take back, try again."""
    run = run_of(run_id)
    _require_reader(request, run)
    form = _RejectionForm(request.POST if request.POST.get("act") == "reject" else None)
    refusal, status = "", 200
    if request.method == "POST":
        try:
            with transaction.atomic():
                said = _decided(request, run, form)
        except ApplicationError as error:
            refusal, status = error.detail, error.status
            run = run_of(run_id)
        else:
            if said:
                messages.success(request, said)
                return HttpResponseRedirect(reverse("admin:removal_run", args=[run_id]))
            status = 400
    return _page(request, run, form, refusal=refusal, status=status)


def removal_progress_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The part of the page that moves, as a fragment."""
    run = run_of(run_id)
    _require_reader(request, run)
    return TemplateResponse(request, "glassbox/removal_progress.html", _moving(run))


def _require_reader(request: HttpRequest, run: RemovalRun) -> None:
    """Who reads the log; and who removes documents, of what was proposed so."""
    if not (run.origin == Origin.REMOVAL and may(request, Permission.DOCUMENT_DELETE)):
        require(request, Permission.AUDIT_VIEW)


def _decided(request: HttpRequest, run: RemovalRun, form: _RejectionForm) -> str:
    """Returns: what was done, in a sentence; empty where the form has errors or names nothing to do."""
    seen = number_read(request.POST)
    match request.POST.get("act"):
        case "approve":
            run_approve(run.id, revision=seen)
            return "Approved. The removal is being carried out and can't be undone."
        case "reject" if form.is_valid():
            run_reject(run.id, RejectionReason(form.cleaned_data["reason"]), revision=seen)
            return "Rejected. Nothing was removed."
        case "withdraw":
            run_reject(run.id, RejectionReason.WITHDRAWN, revision=seen)
            return "Withdrawn. Nothing was removed."
        case "without" if (asked := _UnprovenForm(request.POST)).is_valid():
            unproven_ask(run.id, Unproven(asked.cleaned_data["unproven"]), revision=seen)
            return "Requested. Nothing changes until somebody else agrees."
        case "with":
            unproven_take_back(run.id, revision=seen)
            return "Withdrawn. The run continues to its physical proof."
        case "agree":
            unproven_agree(run.id, revision=seen)
            return (
                "Agreed. The run continues automatically and ends without a physical proof. The certificate will say "
                "so."
            )
        case "retry":
            run_retry(run.id, revision=seen)
            return "It is being tried again."
        case _:
            return ""


def _page(
    request: HttpRequest, run: RemovalRun, form: _RejectionForm, *, refusal: str, status: int
) -> TemplateResponse:
    moving = _moving(run)
    found: RunProgress = moving["found"]
    is_own = run.proposed_by == principal_of(request).id
    waits = run.state == RunState.PROPOSED
    offered = steps_offered(RUNS, run, principal_of(request))
    # A request that took its proposal back, or got it back, has another one by now, or none.
    is_followed = run.origin == Origin.REQUEST and run.state != RunState.REJECTED
    rows = RemovalTarget.objects.filter(run=run)[:SHOWN]
    title = f"Removal of {counted(found.targets)}"
    context: dict[str, Any] = {
        **admin.site.each_context(request),
        **moving,
        "title": title,
        "crumbs": [(title, "")],
        "form": form,
        "refusal": refusal,
        "why": REASONS.get(run.reason_code, run.reason_code),
        "words": words_of(run),
        "documents": _documents(run),
        "notes": removal_notes(run) if waits and run.origin == Origin.REMOVAL else (),
        "origin_url": next((url for name in ORIGIN_PAGES[run.origin] if (url := address(name, run.origin_id))), ""),
        "people": _people(run),
        "rejection": REJECTIONS.get(run.rejection_code, run.rejection_code),
        "rows": target_rows(rows),
        "more": max(0, sum(found.targets.values()) - SHOWN),
        "counted": counted(found.targets),
        "since": came_since_in_words(run) if waits else "",
        "closes": bool(found.targets.keys() & set(WHOLE)) and run.origin == Origin.REQUEST,
        "staying": staying_in_words(run.staying),
        "set_aside": set_aside_of(run.origin_id) if is_followed else 0,
        "has_documents": TargetType.DOCUMENT in found.targets,
        "is_own": is_own,
        "is_physical": run.proof == Proof.PHYSICAL,
        "restored": restored_of_run(run.id),
        **_without_proof(request, run),
        "may_approve": "approve" in offered,
        "may_withdraw": "reject" in offered and is_own,
        "may_retry": "retry" in offered,
        "may_reject": "reject" in offered and not is_own,
        "progress_url": reverse("admin:removal_run_progress", args=[run.id]),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/removal_run.html", context, status=status)


def _documents(run: RemovalRun) -> list[Item]:
    """The documents that somebody wants gone, as far as the reader sees them."""
    if run.origin != Origin.REMOVAL:
        return []
    rows = RemovalTarget.objects.filter(run=run, type=TargetType.DOCUMENT)[:SHOWN]
    return list(describe([target_of(row) for row in rows]).values())


def _without_proof(request: HttpRequest, run: RemovalRun) -> dict[str, Any]:
    """What can be decided about a physical proof that is not made yet, for whoever may."""
    is_open = run.proof == Proof.PHYSICAL and not run.is_unproven and run.state in MAY_ASK
    is_own = run.unproven_asked_by is not None and run.unproven_asked_by == principal_of(request).id
    is_asked = is_open and run.unproven_asked_by is not None
    return {
        "unproven": UNPROVEN.get(run.unproven_code, run.unproven_code),
        "unproven_form": _UnprovenForm(),
        "is_asked": is_asked,
        "may_do_without": is_open and not is_asked and may(request, Permission.PRIVACY_MANAGE),
        "may_do_with": is_asked and is_own,
        "may_agree": is_asked and not is_own and may(request, Permission.PRIVACY_APPROVE),
    }


def _moving(run: RemovalRun) -> dict[str, Any]:
    found = progress_of(run)
    label = f"{found.done:,} of {found.total:,} items removed"
    certificates = certificates_of(run)
    return {
        "parts": proof_parts(run, certificates),
        "residue": residue_of(run)[:SHOWN],
        "standing": standing_names(run.verification.get("standing")),
        "certificates": certificates,
        "awaits_certificate": len(certificates) < len(run.end_events),
        "run": run,
        "found": found,
        "state": pill(run.get_state_display(), TONES[found.state]),
        "bar": progress(int(100 * found.fraction), label) if found.steps else "",
        "said": label if found.steps else "",
        "trouble": ERRORS.get(found.error_code, found.error_code),
        "retained": [
            (row, GROUNDS.get(ground.partition(":")[0], ground), ground.partition(":")[2])
            for row, ground in zip(target_rows(found.retained), found.retained.values(), strict=True)
        ][:SHOWN],
        "is_retained_more": max(0, len(found.retained) - SHOWN),
    }


def _people(run: RemovalRun) -> dict[str, str]:
    """Names of those who acted, as far as they belong to the tenant still."""
    ids = {
        "proposed": run.proposed_by,
        "approved": run.approved_by,
        "rejected": run.rejected_by,
        "asked": run.unproven_asked_by,
        "agreed": run.unproven_agreed_by,
    }
    names = {user.id: str(user) for user in User.objects.filter(id__in=[each for each in ids.values() if each])}
    return {act: names.get(id, "somebody who has left") for act, id in ids.items() if id}
