"""The drafts of a policy, and how one is begun."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.audit.models import Event
from apps.intents.admin.draft.comments import last_words
from apps.intents.admin.draft.links import crumbs, find_version, version_admin
from apps.intents.diff import PolicyDiff, policy_diff
from apps.intents.models import PolicyVersion, ReviewComment, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import draft_copy, draft_start
from apps.intents.validation import policy_problems
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import form_page, page
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_SENT_BACK = "intents.policy.sent_back"
_CHANGED = ("intents.policy.drafted", "intents.policy.draft_changed", _SENT_BACK)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """A draft in the list. `comment` is the last that somebody else said of it."""

    version: PolicyVersion
    author: str
    based_on: str
    changed_at: datetime
    changes: str
    unchanged: bool
    problems: int
    sent_back: bool
    comment: ReviewComment | None


@require_safe
def drafts_view(request: HttpRequest) -> HttpResponse:
    """One's own drafts with what to do next, and those of others."""
    require(request, Permission.POLICY_EDIT)
    me = principal_of(request).id
    drafts = list(
        PolicyVersion.objects.filter(status=VersionStatus.DRAFT).select_related("based_on").order_by("-number")
    )
    rows = _rows(drafts)
    return page(
        version_admin(),
        request,
        "glassbox/drafts.html",
        title="Drafts",
        crumbs=["Drafts"],
        mine=[row for row in rows if me is not None and row.version.author_id == me],
        others=[row for row in rows if me is None or row.version.author_id != me],
        in_force=policy_in_force(),
    )


class StartForm(forms.Form):
    reason = forms.CharField(
        label="Why is a new version wanted?",
        max_length=4000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text="One or two sentences for the reviewer and the audit log. You can still change them in the draft.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def draft_start_view(request: HttpRequest) -> HttpResponse:
    """Begin a draft of the version in force; with ?copy=<id> of that version."""
    require(request, Permission.POLICY_EDIT)
    source = _source(request)
    in_force = policy_in_force()
    form = StartForm(request.POST or None)

    def act() -> HttpResponse:
        reason = form.cleaned_data["reason"]
        draft = draft_copy(source, reason=reason) if source else draft_start(reason=reason)
        messages.success(
            request, f"Draft begun, version {draft.number}. Nothing in it takes effect until it is approved."
        )
        return HttpResponseRedirect(reverse("admin:policy_draft", args=[draft.id]))

    number = source.number if source else in_force.number
    again = bool(source and source.id != in_force.version_id)
    return form_page(
        version_admin(),
        request,
        form,
        act,
        title="Begin a draft",
        intro=_intro(number, in_force.number, again=again),
        action=f"Begin a draft as a copy of version {number}",
        crumbs=crumbs("Begin a draft"),
        back=reverse("admin:policy_drafts"),
        template="glassbox/draft_start.html",
        sentences=policy_diff(in_force, version_snapshot(source)).sentences if source and again else (),
        in_force=in_force,
        number=number,
    )


def _intro(number: int, in_force: int, *, again: bool) -> str:
    begins = f"The draft begins as a copy of version {number}"
    copied = (
        f"{begins}, to bring back what it said. Version {in_force} stays in force until somebody else has approved "
        "your draft."
        if again
        else f"{begins}, which is in force and stays so until somebody else has approved your draft."
    )
    return f"{copied} Only you can change it, and it affects nobody's questions in the meantime."


def _source(request: HttpRequest) -> PolicyVersion | None:
    asked = request.GET.get("copy", "")
    if not asked:
        return None
    try:
        return find_version(UUID(asked))
    except ValueError:
        raise Http404("There is no policy version with this id that you may see.") from None


def _rows(drafts: list[PolicyVersion]) -> list[DraftRow]:
    """Costs: nine queries a draft that this process meets, and two for all of them."""
    ids = [draft.id for draft in drafts]
    events = Event.objects.filter(subject_id__in=ids, action__in=_CHANGED).order_by("occurred_at")
    changed: dict[Any, tuple[str, datetime]] = {}
    sent_back: set[Any] = set()
    for subject_id, action, occurred_at in events.values_list("subject_id", "action", "occurred_at"):
        changed[subject_id] = (action, occurred_at)
        if action == _SENT_BACK:
            sent_back.add(subject_id)
    comments = last_words(drafts)
    in_force = policy_in_force()
    rows = []
    for draft in drafts:
        snapshot = version_snapshot(draft)
        diff = policy_diff(in_force, snapshot)
        rows.append(
            DraftRow(
                version=draft,
                author=draft.author_label or "the platform",
                based_on=f"Version {draft.based_on.number}" if draft.based_on else "",
                changed_at=changed[draft.id][1] if draft.id in changed else draft.created_at,
                changes=in_few_words(diff),
                unchanged=not diff.changes,
                problems=len(policy_problems(snapshot, in_force)),
                sent_back=draft.id in sent_back,
                comment=comments.get(draft.id),
            )
        )
    return rows


def in_few_words(diff: PolicyDiff) -> str:
    """The most important change, and how many more there are."""
    if not diff.changes:
        return "Nothing yet: it says the same as the version in force."
    more = len(diff.changes) - 1
    return f"{diff.sentences[0]} And {more} more change{'s' * (more != 1)}." if more > 0 else diff.sentences[0]
