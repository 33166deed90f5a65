"""What waits for a decision, for its author, or for its time: by who is asking."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from apps.intents.admin.review.facts import base_of, deciders
from apps.intents.diff import policy_diff
from apps.intents.models import PolicyVersion, ReviewComment, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.services.approvals import approvals_asked
from apps.intents.services.reminders import is_overdue
from apps.intents.standing import by_time
from apps.tenants.admin.base import may, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A version with what its reader needs to choose it. widens: sentences; none where nothing more is reached.

    required, given: how many approvals it takes, and has.
    """

    version: PolicyVersion
    widens: tuple[str, ...] = ()
    others: int = 0
    deciders: tuple[str, ...] = ()
    overdue: bool = False
    required: int = 0
    given: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SentBack:
    """A draft that was in review, with what was said of it last."""

    version: PolicyVersion
    comment: ReviewComment
    url: str


@require_safe
def reviews_view(request: HttpRequest) -> HttpResponse:
    """The work list. Costs: a few queries for each version that waits; there are rarely more than one or two."""
    require(request, Permission.POLICY_VIEW)
    person, edits = principal_of(request).id, may(request, Permission.POLICY_EDIT)
    in_review = PolicyVersion.objects.filter(status=VersionStatus.IN_REVIEW).order_by("submitted_at", "number")
    own = PolicyVersion.objects.filter(author_id=person)
    title = "Waiting for review"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "decides": may(request, Permission.POLICY_APPROVE),
        "edits": edits,
        "to_decide": [_waiting(version) for version in in_review.exclude(author_id=person)],
        "own": [_waiting(version) for version in in_review.filter(author_id=person)],
        "sent_back": _sent_back(own) if edits else [],
        "scheduled": [_scheduled(version) for version in _approved()],
        "drafts_url": reverse("admin:policy_drafts") if edits else "",
    }
    request.__dict__["current_app"] = admin.site.name
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "glassbox/review_list.html", context, headers=headers)


def _approved() -> Iterable[PolicyVersion]:
    to_come = by_time(PolicyVersion.objects.all()).filter(standing=VersionStatus.APPROVED)
    return to_come.order_by("effective_from", "number")


def _waiting(version: PolicyVersion) -> Waiting:
    base = base_of(version)
    diff = policy_diff(base.snapshot, version_snapshot(version)) if base else None
    required, given = approvals_asked(version)
    return Waiting(
        version=version,
        widens=tuple(change.sentence for change in diff.widens) if diff else (),
        others=len(diff.changes) - len(diff.widens) if diff else 0,
        deciders=tuple(deciders(version)),
        overdue=is_overdue(version, timezone.now()),
        required=required,
        given=given,
    )


def _scheduled(version: PolicyVersion) -> Waiting:
    return Waiting(version=version)


def _sent_back(own: QuerySet[PolicyVersion]) -> list[SentBack]:
    """Own drafts of which somebody else has said something: a version is discussed once it was submitted."""
    found = []
    for draft in own.filter(status=VersionStatus.DRAFT).order_by("-number"):
        said = [comment for comment in draft.comments.all() if comment.text and comment.author_id != draft.author_id]
        if said:
            url = reverse("admin:policy_draft", args=[draft.id])
            found.append(SentBack(version=draft, comment=said[-1], url=url))
    return found
