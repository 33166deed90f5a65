"""The work list of requests for erasure: what is due first stands first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe
from unfold.dataclasses import SearchResult

from apps.privacy.admin.requests.words import TimeLeft, about, state_pill, time_left
from apps.privacy.codes.life import RequestState
from apps.privacy.codes.requests import Purpose, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.selectors import Which, erasure_requests, legal_today
from apps.tenants.admin.base import may, require
from apps.tenants.roles import Permission

_PAGE = 50
_IN_PALETTE = 8
_TITLES = {
    Which.OPEN: "Open",
    Which.OVERDUE: "Overdue",
    Which.APPROVAL: "Waiting for approval",
    Which.LETTERS: "Letters that need attention",
    Which.FINISHED: "Answered",
    Which.ALL: "All",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    request: ErasureRequest
    about: str
    state: SafeString
    time: TimeLeft
    url: str


def requests_in_palette(request: HttpRequest, term: str) -> Iterator[SearchResult]:
    """By number, as it stands on paper: ER-2026-0007, 2026-7, 7."""
    if not may(request, Permission.AUDIT_VIEW):
        return
    for found in erasure_requests(reference=term)[:_IN_PALETTE]:
        state = RequestState(found.state).label
        yield SearchResult(
            title=found.reference,
            description=f"{'Access request' if found.is_access else 'Erasure request'}, {state.lower()}",
            link=reverse("admin:erasure_request", args=[found.id]),
            icon="description",
        )


@require_safe
def requests_view(request: HttpRequest) -> HttpResponse:
    """Numbers, states and dates; no name of a person stands here."""
    require(request, Permission.AUDIT_VIEW)
    asked = request.GET
    which = Which(asked["which"]) if asked.get("which") in set(Which) else Which.OPEN
    purpose = asked.get("purpose", "") if asked.get("purpose", "") in Purpose.values else ""
    state = asked.get("state", "") if asked.get("state", "") in RequestState.values else ""
    subject = asked.get("subject", "") if asked.get("subject", "") in SubjectType.values else ""
    reference = asked.get("q", "")[:40]
    found = erasure_requests(which=which, purpose=purpose, state=state, subject_type=subject, reference=reference)
    paged = Paginator(found, _PAGE).get_page(asked.get("page"))
    today = legal_today()
    title = "Access and erasure requests"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "rows": [
            Row(
                request=each,
                about=about(each),
                state=state_pill(RequestState(each.state), is_access=each.is_access),
                time=time_left(each, today),
                url=reverse("admin:erasure_request", args=[each.id]),
            )
            for each in paged
        ],
        "paged": paged,
        "which": which.value,
        "choices": [(each.value, _TITLES[each]) for each in Which],
        "purposes": Purpose.choices,
        "purpose": purpose,
        "states": RequestState.choices,
        "subjects": SubjectType.choices,
        "state": state,
        "subject": subject,
        "reference": reference,
        "is_filtered": bool(purpose or state or subject or reference or which is not Which.OPEN),
        "manages": may(request, Permission.PRIVACY_MANAGE),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/requests.html", context, headers={"Cache-Control": "no-store"})
