"""The page that a policy version is decided on; after the decision, its record."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.errors import ApplicationError
from apps.intents.admin.checked import checked_before
from apps.intents.admin.compare import comparison
from apps.intents.admin.policy_version import approved_by, state_pill
from apps.intents.admin.review.acts import ACTS, ANSWER, ERROR_FIELDS, FIRST_DONE, Act, carry_out, seen_now
from apps.intents.admin.review.discussion import (
    Thread,
    answer_prefix,
    cell_choices,
    said_of_cells,
    threads,
    with_forms,
)
from apps.intents.admin.review.facts import base_of, deciders, story
from apps.intents.admin.review.forms import ReviewForm
from apps.intents.admin.review.proof import proof_shown
from apps.intents.changed_matrix import with_said
from apps.intents.errors import OwnVersionError
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshot
from apps.intents.services.absences import deputising
from apps.intents.services.approvals import approvals_asked, approvals_of, lapsed_of, two_wanted
from apps.intents.services.checking import Checked
from apps.intents.standing import by_time
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import add_error, may, require
from apps.tenants.admin.read import id_read, number_read
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.flows.checks import steps_offered
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_DISCUSSED = (VersionStatus.IN_REVIEW, VersionStatus.APPROVED)


def _wants_check(request: HttpRequest) -> bool:
    act = ACTS.get(request.POST.get("act", "")) if request.method == "POST" else None
    return act is not None and act.checked


@require_http_methods(["GET", "HEAD", "POST"])
@checked_before(_wants_check)
def review_view(request: HttpRequest, version_id: UUID, *, checked: Checked | None) -> HttpResponse:
    """What it changes, who asks and why, and the decision, for whoever may take it. Nothing is computed by looking."""
    require(request, Permission.POLICY_VIEW)
    version = by_time(PolicyVersion.objects.select_related("based_on")).filter(id=version_id).first()
    if version is None:
        raise Http404("There is no policy version with this id that you may see.")
    if request.method != "POST":
        return _show(request, version)
    name = request.POST.get("act", "")
    if name not in ACTS:
        return _show(request, version, refusal="Nothing was done: choose one of the decisions below.", status=400)
    return _act(request, version, name, ACTS[name], checked)


def _act(request: HttpRequest, version: PolicyVersion, name: str, act: Act, checked: Checked | None) -> HttpResponse:
    if act.decides:
        require(request, Permission.POLICY_APPROVE)
    answered = id_read(request.POST, "comment") if name == ANSWER else None
    if answered:
        name = answer_prefix(answered)
    form = act.form(request.POST, prefix=name)
    if not form.is_valid():
        return _show(request, version, forms={name: form}, status=422)
    try:
        carry_out(
            act,
            version,
            {**form.cleaned_data, "comment": answered},
            seen=request.POST.get("seen", ""),
            read=number_read(request.POST),
            checked=checked,
        )
    except (OwnVersionError, PermissionDeniedError):
        raise
    except ApplicationError as error:
        field = ERROR_FIELDS.get(error.code)
        if answered and field == "reason":
            field = "text"
        version.refresh_from_db()
        if field in form.fields:
            add_error(form, error, field)
            return _show(request, version, forms={name: form}, status=422)
        # What was written stays in its form, where there still is one.
        return _show(request, version, forms={name: form}, refusal=error.detail, status=error.status)
    version.refresh_from_db(fields=["status"])
    is_first = act.checked and version.status == VersionStatus.IN_REVIEW
    messages.success(request, (FIRST_DONE if is_first else act.done).format(number=version.number))
    anchor = f"#{act.anchor}" if act.anchor else ""
    return HttpResponseRedirect(reverse("admin:policy_review", args=[version.id]) + anchor)


def _show(
    request: HttpRequest,
    version: PolicyVersion,
    *,
    forms: dict[str, ReviewForm] | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    snapshot = version_snapshot(version)
    base = base_of(version)
    compared = comparison(base.snapshot, snapshot, fold="all" not in request.GET) if base else None
    said = threads(version, snapshot, base.snapshot if base else None)
    state = VersionStatus(version.status)
    title = f"Policy version {version.number}: {'review' if state is VersionStatus.IN_REVIEW else 'record'}"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Waiting for review", reverse("admin:policy_reviews")), (title, "")],
        "version": version,
        "state": state_pill(state),
        "is": {each.name.lower(): each is state for each in VersionStatus},
        "origin": VersionOrigin(version.origin).label,
        "approver": approved_by(version.origin, version.approver_label),
        "content_sha256": policy_sha256(snapshot),
        "proof": proof_shown(version),
        "sees_file": may(request, Permission.AUDIT_VIEW),
        "base": base,
        "comparison": compared,
        "matrix": with_said(compared.matrix, said_of_cells(said)) if compared else None,
        "all_lines": "all" in request.GET,
        "overtaken_url": _compare_url(base.overtaken.number, base.snapshot.number) if base and base.overtaken else "",
        "compare_url": _compare_url(base.snapshot.number, version.number) if base else "",
        "impact_url": address("policy_impact", version.id) if version.submitted_at else "",
        "open_threads": sum(thread.is_open for thread in said),
        "story": story(version),
        "deciders": deciders(version),
        "deputising": deputising(author_id=version.author_id) if state is VersionStatus.IN_REVIEW else (),
        "sees_members": may(request, Permission.MEMBER_VIEW),
        "scheduled": _scheduled_beside(version) if state is VersionStatus.IN_REVIEW else (),
        "version_url": reverse("admin:intents_policyversion_change", args=[version.id]),
        "events_url": _events_url(request, version),
        "refusal": refusal,
        "refused_form": next(iter(forms), "") if forms else "",
        **_part(request, version, forms or {}, said),
    }
    if comment_form := context["forms"].get("comment"):
        about = comment_form.fields["about"]
        about.widget.choices = cell_choices(
            compared.matrix if compared else None, snapshot, base.snapshot if base else None
        )
        about.initial = request.GET.get("about", "")
    request.__dict__["current_app"] = admin.site.name
    # Somebody else may decide at any moment: what is shown is never an old page out of a cache.
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "glassbox/review.html", context, status=status, headers=headers)


def _part(
    request: HttpRequest, version: PolicyVersion, forms: dict[str, ReviewForm], said: tuple[Thread, ...]
) -> dict[str, Any]:
    """What the reader has to do with it, and the forms that they may use."""
    approves, edits = may(request, Permission.POLICY_APPROVE), may(request, Permission.POLICY_EDIT)
    steps = steps_offered(VERSIONS, version, principal_of(request))
    own = version.author_id is not None and version.author_id == principal_of(request).id
    decides = "approve" in steps
    approvals = _approvals(request, version)
    # Whoever decides rejects, instead of withdrawing.
    offered = (
        ["approve", "approve_later", "send_back", "reject"] if decides else [name for name in steps if name in ACTS]
    )
    if decides and approvals["has_approved"]:
        offered = ["send_back", "reject"]
    elif decides and approvals["approvals_missing"] == 2:
        offered.remove("approve_later")
    # A draft is discussed once it was submitted: its author answers before it is submitted again.
    discussed = version.status in _DISCUSSED or (version.status == VersionStatus.DRAFT and bool(said))
    speaks = discussed and (approves or edits)
    if speaks:
        offered.append("comment")
    return {
        "threads": with_forms(said, forms) if speaks else said,
        "own": own,
        "decides": decides,
        "offered": steps,
        "forms": {name: forms.get(name) or ACTS[name].form(prefix=name) for name in offered},
        "seen": seen_now(version) if decides else "",
        "draft_url": reverse("admin:policy_draft", args=[version.id]) if own and edits else "",
        **approvals,
    }


def _approvals(request: HttpRequest, version: PolicyVersion) -> dict[str, Any]:
    """For what two reviewers are wanted, and who has approved this revision already."""
    given, lapsed = approvals_of(version), lapsed_of(version)
    required, counted = approvals_asked(version)
    return {
        "two_for": two_wanted(version) if version.status == VersionStatus.IN_REVIEW else "",
        "approvals": given,
        "lapsed": lapsed,
        "approvals_required": required,
        "approvals_missing": required - counted,
        "has_approved": any(each.approver_id == principal_of(request).id for each in (*given, *lapsed)),
    }


def _scheduled_beside(version: PolicyVersion) -> QuerySet[PolicyVersion]:
    """Approved versions that would take the place of this one again."""
    approved = by_time(PolicyVersion.objects.exclude(id=version.id)).filter(standing=VersionStatus.APPROVED)
    return approved.order_by("effective_from", "number")


def _compare_url(before: int, after: int) -> str:
    return f"{reverse('admin:policy_compare')}?before={before}&after={after}"


def _events_url(request: HttpRequest, version: PolicyVersion) -> str:
    if not may(request, Permission.AUDIT_VIEW):
        return ""
    return f"{reverse('admin:audit_event_changelist')}?subject={version.id}"
