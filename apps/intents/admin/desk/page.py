"""The classifier's desk: how well a version tells its own golden examples apart, and what a question would get."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.intents.admin.desk.filters import desk_filter, intent_key
from apps.intents.admin.desk.versions import (
    OFFERED,
    version_address,
    version_of_number,
    versions_to_see,
)
from apps.intents.admin.desk.words import example_line, figure, heat_rows, verdict
from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.intents.desk import cannot_classify, confusion_rows, examine
from apps.intents.models import VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.desk import Tried, desk_vectors, question_try
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import may, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

# What the pipeline takes as a question at most.
LONGEST_QUESTION: Final = 4_000


class TryForm(forms.Form):
    question = forms.CharField(
        label="Your question",
        max_length=LONGEST_QUESTION,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 2, "autocomplete": "off"}),
        error_messages={"required": "Enter a question to try."},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentOption:
    value: str
    label: str


@opens_own_scopes
@require_http_methods(["GET", "HEAD", "POST"])
def desk_view(request: HttpRequest) -> HttpResponse:
    """The desk of a version. A question that is tried is posted: its text stands in no address and no access log.

    No transaction is open while the provider works.
    """
    require(request, Permission.POLICY_VIEW)
    principal = principal_of(request)
    acting = ShortScopes.all_of(principal)
    number = request.GET.get("version", "")
    with acting.open():
        snapshot = version_snapshot(version_of_number(number, principal)) if number else policy_in_force()
    form = TryForm(request.POST if request.method == "POST" else None)
    problem = cannot_classify(snapshot)
    tried = None
    if not problem and form.is_bound and form.is_valid():
        tried = question_try(question=form.cleaned_data["question"], snapshot=snapshot, acting=acting)
    examined = {} if problem else _examination_context(request, snapshot, acting)
    with acting.open():
        return _page(request, snapshot, form, tried, problem=problem, examined=examined)


def _page(
    request: HttpRequest,
    snapshot: PolicySnapshot,
    form: TryForm,
    tried: Tried | None,
    *,
    problem: str,
    examined: dict[str, Any],
) -> HttpResponse:
    title, principal = "Classifier's desk", principal_of(request)
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "snapshot": snapshot,
        "status": VersionStatus(snapshot.status).label,
        "version_url": version_address(snapshot.version_id, snapshot.status),
        "versions": versions_to_see(principal)[:OFFERED],
        "problem": problem,
        "form": form,
        "tried": _tried_context(tried, snapshot) if tried else None,
        "add_url": reverse("admin:policy_example_add") if may(request, Permission.POLICY_EDIT) else "",
        "unrecognised_url": address("policy_unrecognised") if may(request, Permission.AUDIT_VIEW) else "",
        **examined,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        "glassbox/desk.html",
        context,
        status=422 if form.errors else 200,
        headers={"Cache-Control": "no-store"},
    )


def _examination_context(request: HttpRequest, snapshot: PolicySnapshot, acting: ShortScopes) -> dict[str, Any]:
    vectors, provider_problem = desk_vectors(snapshot, acting)
    examination = examine(snapshot, vectors)
    chosen = desk_filter(request.GET.dict())
    rows = confusion_rows(examination, snapshot)
    shown = chosen.shown(examination)
    return {
        "examination": examination,
        "provider_problem": provider_problem,
        "verdict": verdict(examination),
        "heat": heat_rows(rows, snapshot.number),
        "lost": [row.label for row in rows if row.examples and not row.correct and row.expected != UNRECOGNISED],
        "filter": chosen,
        "options": [IntentOption(value=intent_key(row.expected), label=row.label) for row in rows],
        "lines": [example_line(outcome, snapshot) for outcome in shown],
    }


def _tried_context(tried: Tried, snapshot: PolicySnapshot) -> dict[str, Any]:
    decision = tried.decision
    return {
        "question": tried.question,
        "decision": decision,
        "score": figure(decision.score, decision),
        "lead": figure(decision.margin, decision),
        "nearest": [(each, snapshot.label_of(each.intent)) for each in decision.nearest],
        "permitted": [kind.label for kind in tried.grant.permitted],
        "withheld": [kind.label for kind in tried.grant.withheld],
    }
