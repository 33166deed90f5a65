"""The two ways out of a draft: handed to the reviewers, or thrown away."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.intents.admin.checked import checked_before
from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_address, version_admin
from apps.intents.diff import policy_diff
from apps.intents.models import PolicyVersion
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.checking import Checked
from apps.intents.services.drafts import draft_discard, own_draft
from apps.intents.services.reviews import version_submit
from apps.intents.services.successor import usage_problems
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import Decision, decision_page
from apps.tenants.admin.read import number_read
from apps.tenants.models import Membership
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import PERMISSIONS, Permission, Role

_CHANGES_SHOWN = 12
_APPROVING = [role for role in Role if Permission.POLICY_APPROVE in PERMISSIONS[role]]


@require_http_methods(["GET", "HEAD", "POST"])
@checked_before(lambda request: request.method == "POST")
def draft_submit_view(request: HttpRequest, version_id: UUID, *, checked: Checked | None) -> HttpResponse:
    """Ask once, then hand the draft to the reviewers."""
    require(request, Permission.POLICY_EDIT)
    version = own_draft(find_version(version_id).id)

    def act() -> HttpResponse:
        read = number_read(request.POST)
        submitted = version_submit(version.id, revision=read, checked=checked or Checked(version_id=version.id))
        messages.success(request, f"Version {submitted.number} waits for its review. The reviewers are told by e-mail.")
        return HttpResponseRedirect(version_address(submitted))

    return decision_page(
        version_admin(),
        request,
        Decision(
            question=f"Submit version {version.number} for review?",
            effects=[*_refused(version), _asked(version), f"Your reason: {version.reason}", *_changes(version)],
            irreversible=(
                "After that this version can't change: a reviewer approves it, rejects it, or sends it back to you "
                "as a draft. You can withdraw it while it waits."
            ),
            action=f"Submit version {version.number} for review",
            dangerous=False,
            read={"revision": version.revision},
        ),
        act,
        crumbs=crumbs(draft_crumb(version), "Submit for review"),
        back=reverse("admin:policy_draft", args=[version.id]),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def draft_discard_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Ask once, then throw the draft away."""
    require(request, Permission.POLICY_EDIT)
    version = own_draft(find_version(version_id).id)

    def act() -> HttpResponse:
        draft_discard(version.id)
        messages.success(request, f"Draft of version {version.number} discarded. The version in force does not change.")
        return HttpResponseRedirect(reverse("admin:policy_drafts"))

    return decision_page(
        version_admin(),
        request,
        Decision(
            question=f"Discard the draft of version {version.number}?",
            effects=[
                "It is marked as withdrawn and leaves the list of drafts. Its number is not used again.",
                f"It was begun because: {version.reason}",
                *_changes(version),
            ],
            irreversible="It can't be edited again. It can still be read among the versions, and copied into a draft.",
            action=f"Discard the draft of version {version.number}",
        ),
        act,
        crumbs=crumbs(draft_crumb(version), "Discard"),
        back=reverse("admin:policy_draft", args=[version.id]),
    )


def people_who_may_approve(version: PolicyVersion) -> list[str]:
    """Everybody of the tenant who may decide on it; its author may not."""
    memberships = Membership.objects.filter(IN_FORCE, role__in=_APPROVING, user__is_active=True)
    others = memberships.exclude(user_id=version.author_id).select_related("user")
    return sorted({str(membership.user) for membership in others})


def _asked(version: PolicyVersion) -> str:
    people = people_who_may_approve(version)
    if not people:
        return (
            "Nobody else here may approve it, so it would wait. Ask the tenant administrator to make somebody a "
            "reviewer."
        )
    return f"Asked to decide, by e-mail and in their work list: {', '.join(people)}. You can't approve it yourself."


def _refused(version: PolicyVersion) -> list[str]:
    problems = usage_problems(version_snapshot(version))
    return [f"In its current state it would be refused: {' '.join(problems)}"] if problems else []


def _changes(version: PolicyVersion) -> list[str]:
    in_force = policy_in_force()
    diff = policy_diff(in_force, version_snapshot(version))
    if not diff.changes:
        return [f"It changes nothing: it says the same as version {in_force.number}, which is in force."]
    shown = [f"Compared with version {in_force.number}: {sentence}" for sentence in diff.sentences[:_CHANGES_SHOWN]]
    more = len(diff.changes) - len(shown)
    return [*shown, f"And {more} more: see the draft's page."] if more else shown
