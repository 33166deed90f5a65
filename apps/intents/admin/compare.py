"""Two versions compared: in words, and as the one file side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.intents.admin.review.proof import computed_proof
from apps.intents.admin.side_by_side import SideBySide, side_by_side
from apps.intents.changed_matrix import ChangedMatrix, changed_matrix
from apps.intents.contracts import PolicySnapshot
from apps.intents.diff import PolicyDiff, policy_diff
from apps.intents.errors import NoPolicyInForceError, UnknownPolicyReferenceError
from apps.intents.policy_file import render_policy_file
from apps.intents.policy_file.references import described, instant_named, needs_tenant, policy_named
from apps.intents.proof.rendering import Proof
from apps.intents.selectors import policy_versions
from apps.intents.services.proofs import proof_hand_out
from apps.tenants.admin.base import may, require
from apps.tenants.roles import Permission

# More would make the page heavy; an older number can still be typed.
_SUGGESTED = 200
_HOW = "Enter a version's number (3), a date (2026-01-31), active, or baseline."


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """What changed: cell by cell, by what it means, and where it stands in the one file."""

    matrix: ChangedMatrix
    diff: PolicyDiff
    sides: SideBySide


def comparison(before: PolicySnapshot, after: PolicySnapshot, *, fold: bool = True) -> Comparison:
    """fold: keep long stretches of the files that did not change out of sight."""
    sides = side_by_side(render_policy_file(before), render_policy_file(after), fold=fold)
    return Comparison(matrix=changed_matrix(before, after), diff=policy_diff(before, after), sides=sides)


class CompareForm(forms.Form):
    before = forms.CharField(
        label="Before",
        max_length=40,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "compare-versions", "autocomplete": "off"}),
        help_text=f"{_HOW} A date means the start of that day, UTC.",
        error_messages={"required": _HOW},
    )
    after = forms.CharField(
        label="After",
        max_length=40,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "compare-versions", "autocomplete": "off"}),
        help_text="In the same way. What only this version contains is shown as added.",
        error_messages={"required": _HOW},
    )

    def clean_before(self) -> PolicySnapshot:
        return _policy(self.cleaned_data["before"])

    def clean_after(self) -> PolicySnapshot:
        return _policy(self.cleaned_data["after"])


class CompareProofForm(CompareForm):
    """Two versions or dates, and when it is counted who may ask where: for a date then, else by default now."""

    at_before = forms.DateTimeField(required=False, widget=forms.HiddenInput)
    at_after = forms.DateTimeField(required=False, widget=forms.HiddenInput)

    def clean(self) -> dict[str, Any]:
        said: dict[str, Any] = super().clean() or self.cleaned_data
        now = timezone.now()
        for side in ("before", "after"):
            dated = instant_named(self.data[side].strip()) if side in said else None
            said[f"at_{side}"] = dated or said.get(f"at_{side}") or now
            if said[f"at_{side}"] > now:
                self.add_error(
                    side, "Who may ask in the future is not known. Enter a version's number, or a time before now."
                )
        return said

    def prove(self, form: str) -> Proof:
        """Return the proof; the log names its digest."""
        said = self.cleaned_data
        times = {"at_before": said["at_before"], "at_after": said["at_after"]}
        return proof_hand_out(said["before"], said["after"], form=form, **times)


def _policy(reference: str) -> PolicySnapshot:
    """The policy that a reader named. The commands take a file's path too; from the web it is never followed."""
    try:
        if reference != "baseline" and not needs_tenant(reference):
            raise forms.ValidationError(f"“{reference}” names no version. {_HOW}")
        return policy_named(reference)
    except UnknownPolicyReferenceError as error:
        raise forms.ValidationError(f"“{reference}” names no version: {error.data['problem']}. {_HOW}") from error
    except NoPolicyInForceError as error:
        raise forms.ValidationError(f"No version was in force at {reference}. Enter a later date.") from error


@require_safe
def compare_view(request: HttpRequest) -> HttpResponse:
    """The form; with two versions in the address, how they differ below it: a page that can be linked to."""
    require(request, Permission.POLICY_VIEW)
    asked = "before" in request.GET or "after" in request.GET
    return _page(request, CompareForm(request.GET) if asked else CompareForm(initial=_latest_change()))


@require_safe
def compare_proof_view(request: HttpRequest) -> HttpResponse:
    """Show what the change lets through, with every statement. The log names its digest."""
    require(request, Permission.AUDIT_VIEW)
    require(request, Permission.POLICY_VIEW)
    form = CompareProofForm(request.GET)
    if not form.is_valid():
        return _page(request, form)
    proof = form.prove("page")
    title = "Proof of a comparison"
    names = {side: described(request.GET[side].strip(), form.cleaned_data[side]) for side in ("before", "after")}
    at = {f"at_{side}": getattr(proof, side).at.isoformat() for side in names}
    asked = {side: request.GET[side] for side in names}
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Compare versions", f"{reverse('admin:policy_compare')}?{urlencode(asked)}"), (title, "")],
        "sides": [(name, names[name], getattr(proof, name).at) for name in names],
        "back": urlencode(asked),
        "query": urlencode({**asked, **at}),
        "proof": computed_proof(proof),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/compare_proof.html", context, headers={"Cache-Control": "no-store"})


@require_safe
def compare_proof_file_view(request: HttpRequest) -> HttpResponse:
    """Hand the same proof out to the byte: of the instants that the page showed."""
    require(request, Permission.AUDIT_VIEW)
    require(request, Permission.POLICY_VIEW)
    form = CompareProofForm(request.GET)
    if not form.is_valid():
        return _page(request, form)
    return HttpResponse(
        form.prove("file").text(),
        content_type="application/json; charset=utf-8",
        headers={
            "Content-Disposition": 'attachment; filename="policy-proof.json"',
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
        },
    )


def _page(request: HttpRequest, form: CompareForm) -> HttpResponse:
    title = "Compare versions"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Policy versions", reverse("admin:intents_policyversion_changelist")), (title, "")],
        "form": form,
        "versions": policy_versions()[:_SUGGESTED],
        "sees_proof": may(request, Permission.AUDIT_VIEW),
        **(_answer(form, request.GET) if form.is_bound and form.is_valid() else {}),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/compare.html", context, status=422 if form.errors else 200)


def _answer(form: CompareForm, asked: Mapping[str, str]) -> dict[str, Any]:
    before, after = form.cleaned_data["before"], form.cleaned_data["after"]
    return {
        "before": described(asked["before"].strip(), before),
        "after": described(asked["after"].strip(), after),
        "before_url": _page_of(before),
        "after_url": _page_of(after),
        "comparison": comparison(before, after, fold="all" not in asked),
        "proof_query": urlencode({"before": asked["before"], "after": asked["after"]}),
        "all_url": "?" + urlencode({"before": asked["before"], "after": asked["after"], "all": "1"}) + "#sides",
    }


def _page_of(snapshot: PolicySnapshot) -> str:
    """The shipped baseline, as long as it is no version of this tenant, has none."""
    return reverse("admin:policy_review", args=[snapshot.version_id]) if snapshot.number else ""


def _latest_change() -> dict[str, str]:
    """What was in force before, and what is now."""
    in_force = policy_versions().filter(began_at__isnull=False).order_by("-began_at", "-number")
    numbers = list(in_force.values_list("number", flat=True)[:2])
    return {"before": str(numbers[1]) if len(numbers) > 1 else "baseline", "after": "active"}
