"""Whether the log is what it was: its state, the last verification, a button, and how to check without us."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from apps.audit.models import Event, Verification, VerificationState
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.requests import verification_request
from apps.audit.verify.standing import Verdict, log_state, standing, starters
from apps.audit.verify.wording import WORDINGS, Wording, failure_words
from apps.tenants.admin.base import may, require
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant

_HISTORY: Final = 30
_TONES: Final = {
    VerificationState.WAITING: "busy",
    VerificationState.RUNNING: "busy",
    VerificationState.INTACT: "good",
    VerificationState.FINDINGS: "bad",
    VerificationState.FAILED: "bad",
}
_BY_CLOCK: Final = "the clock"
_NAMELESS: Final = "somebody whose name was removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A verification as the page tells it."""

    verification: Verification
    state: str
    tone: str
    who: str
    seconds: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultLocation:
    """Where something is wrong; url leads to the event, where it is there and may be seen."""

    words: str
    event_id: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundClass:
    code: str
    count: int
    wording: Wording
    places: list[FaultLocation]

    @property
    def more(self) -> int:
        return self.count - len(self.places)


@require_http_methods(["GET", "HEAD", "POST"])
def verification_view(request: HttpRequest) -> HttpResponse:
    """GET: the page. POST: verify now, and back to it."""
    _require(request)
    if request.method == "POST":
        verification_request()
        return HttpResponseRedirect(f"{reverse('admin:audit_verification')}#results")
    context = {
        **admin.site.each_context(request),
        "title": "Verification of the log",
        "crumbs": [("Verification", "")],
        "log": log_state(),
        "tenant": current_tenant(),
        **_results(request),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/verification.html", context)


@require_safe
def verification_results_view(request: HttpRequest) -> HttpResponse:
    """The fragment that moves while a verification does."""
    _require(request)
    response = render(request, "glassbox/verification_results.html", _results(request))
    response["Cache-Control"] = "no-store"
    return response


def _require(request: HttpRequest) -> None:
    if not may(request, Permission.PRIVACY_MANAGE):
        require(request, Permission.AUDIT_VIEW)


def _results(request: HttpRequest) -> dict[str, Any]:
    found = standing()
    history = list(Verification.objects.all()[:_HISTORY])
    shown = [*history, *(each for each in (found.last, found.moving) if each is not None)]
    names = starters(shown)
    rows = {each.id: _row(each, names) for each in shown}
    return {
        "standing": found,
        "verdict": found.verdict.value,
        "is_bad": found.verdict in (Verdict.FINDINGS, Verdict.FAILED),
        "last": None if found.last is None else rows[found.last.id],
        "moving": None if found.moving is None else rows[found.moving.id],
        "percent": _percent(found.moving),
        "found": [] if found.last is None else _found(request, found.last),
        "failure": failure_words(found.last.error_code) if found.last and found.last.error_code else "",
        "retry": failure_words(found.moving.error_code) if found.moving and found.moving.error_code else "",
        "history": [rows[each.id] for each in history],
        "events_url": reverse("admin:audit_event_changelist"),
    }


def _row(verification: Verification, names: Any) -> Row:
    state = VerificationState(verification.state)
    words, tone = str(state.label), _TONES[state]
    if state == VerificationState.FINDINGS:
        words = "Not proven" if verification.is_unproven else "Does not verify"
    elif _is_interrupted(verification):
        words, tone = "Interrupted", "warn"
    return Row(
        verification=verification,
        state=words,
        tone=tone,
        who=_BY_CLOCK if verification.started_by is None else names.get(verification.id, _NAMELESS),
        seconds=None if verification.duration_ms is None else verification.duration_ms / 1_000,
    )


def _is_interrupted(verification: Verification) -> bool:
    """Its worker has been silent for longer than its lease: the sweeper begins it anew."""
    until = verification.lease_until
    return verification.state == VerificationState.RUNNING and until is not None and until <= timezone.now()


def _percent(moving: Verification | None) -> int | None:
    if moving is None or moving.state != VerificationState.RUNNING or not moving.total or _is_interrupted(moving):
        return None
    return min(100, moving.done * 100 // moving.total)


def _found(request: HttpRequest, verification: Verification) -> list[FoundClass]:
    totals: dict[str, int] = verification.findings.get("totals", {})
    first: list[dict[str, Any]] = verification.findings.get("first", [])
    visible = _visible(request, {each["event"] for each in first if each["event"]})
    return [
        FoundClass(
            code=code,
            count=count,
            wording=WORDINGS[FindingClass(code)],
            places=[_place(each, visible) for each in first if each["class"] == code],
        )
        for code, count in sorted(totals.items())
    ]


def _visible(request: HttpRequest, ids: set[str]) -> set[str]:
    """Those events that are there, and that the reader may open."""
    if not ids or not may(request, Permission.AUDIT_VIEW):
        return set()
    wanted = [UUID(each) for each in ids]
    return {str(id) for id in Event.objects.filter(id__in=wanted).values_list("id", flat=True)}


def _place(found: dict[str, Any], visible: set[str]) -> FaultLocation:
    named = (("place", found["leaf"]), ("part", found["group"]), ("checkpoint of", found["size"]))
    event = found["event"] or ""
    return FaultLocation(
        words=", ".join(f"{name} {value}" for name, value in named if value is not None),
        event_id=event,
        url=reverse("admin:audit_event_change", args=[event]) if event in visible else "",
    )
