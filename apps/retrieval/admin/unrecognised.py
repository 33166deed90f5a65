"""Questions that no intent recognised: a part of the classifier's desk, and a page of its own without scripts."""

from __future__ import annotations

from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.intents.admin.matrix import RECORDING
from apps.intents.contracts import PolicySnapshot, RecordingMode
from apps.intents.errors import NoPolicyInForceError
from apps.intents.selectors import policy_in_force
from apps.retrieval.selectors.unrecognised import SHOWN, unrecognised_questions
from apps.tenants.admin.base import may, require
from apps.tenants.roles import Permission

PERIODS: Final = (7, 30)
_TITLE: Final = "Questions that no intent recognised"


@require_safe
def unrecognised_view(request: HttpRequest) -> HttpResponse:
    """The list of the last 7 or 30 days, newest first; ?whole=1 puts the admin's frame around it."""
    require(request, Permission.AUDIT_VIEW)
    asked = request.GET.get("days", "")
    days = next((each for each in PERIODS if str(each) == asked), PERIODS[0])
    whole = "whole" in request.GET
    context: dict[str, Any] = {
        "found": unrecognised_questions(days=days),
        "days": days,
        "periods": PERIODS,
        "shown": SHOWN,
        "page_url": f"{reverse('admin:policy_unrecognised')}?whole=1",
        "add_url": reverse("admin:policy_example_add") if may(request, Permission.POLICY_EDIT) else "",
        **_recording(_policy()),
    }
    if whole:
        context |= {
            **admin.site.each_context(request),
            "title": _TITLE,
            "crumbs": [("Classifier's desk", reverse("admin:policy_desk")), (_TITLE, "")],
        }
        request.__dict__["current_app"] = admin.site.name
    template = "glassbox/unrecognised_page.html" if whole else "glassbox/unrecognised.html"
    return TemplateResponse(request, template, context, headers={"Cache-Control": "no-store"})


def _recording(policy: PolicySnapshot | None) -> dict[str, Any]:
    """How an unrecognised question is recorded now, and which mode would keep its text."""
    kept = policy is not None and policy.fallback.recording_mode is RecordingMode.ENCRYPTED_TEXT
    return {
        "text_is_kept": kept,
        "keeping_mode": RECORDING[RecordingMode.ENCRYPTED_TEXT],
        "current_mode": RECORDING[policy.fallback.recording_mode] if policy else "",
        "policy_number": policy.number if policy else None,
    }


def _policy() -> PolicySnapshot | None:
    try:
        return policy_in_force()
    except NoPolicyInForceError:
        return None
