"""The policy: the version in force, and all the others. Read only: only a draft can ever change, and that elsewhere."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.urls.resolvers import URLPattern
from django.utils.html import format_html
from django.utils.text import Truncator

from apps.corpus.selectors import documents_by_kind
from apps.intents.admin.matrix import kinds_in_order, matrix, search_settings, thresholds
from apps.intents.admin.review.facts import story
from apps.intents.admin.review.links import AuthorFilter, StandingFilter, compare_url, copy_url, review_url
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.policy_file import render_policy_file, version_heading
from apps.intents.registry import traffic_of_questions
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.standing import by_time
from apps.intents.unused import unused_parts
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.pages import page
from apps.tenants.display import EMPTY, moment, pill
from apps.tenants.roles import Permission

_TONES = {
    VersionStatus.DRAFT: "quiet",
    VersionStatus.IN_REVIEW: "busy",
    VersionStatus.APPROVED: "busy",
    VersionStatus.ACTIVE: "good",
    VersionStatus.SUPERSEDED: "quiet",
    VersionStatus.REJECTED: "bad",
    VersionStatus.WITHDRAWN: "quiet",
}

# In the list; the version's page has all of it.
_REASON_CHARS = 80


def state_pill(status: VersionStatus) -> str:
    return pill(status.label, _TONES[status])


def approved_by(origin: str, approver_label: str) -> str:
    if approver_label:
        return approver_label
    return "shipped baseline" if origin == VersionOrigin.BASELINE else EMPTY


@admin.register(PolicyVersion)
class PolicyVersionAdmin(TenantModelAdmin):
    title_plural = "Policy versions"
    empty_text = "No version matches: remove a filter. Every tenant begins with version 1, the shipped baseline."

    list_display = (
        "version",
        "state",
        "origin",
        "author_name",
        "submitted",
        "approver_name",
        "from_when",
        "until_when",
        "reason_short",
        "record",
    )
    list_display_links = ("version",)
    list_filter = (("status", StandingFilter), AuthorFilter)
    search_fields = ("reason", "author_label", "approver_label")
    search_help_text = "Reason, author or approver"

    view_permission = Permission.POLICY_VIEW

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        """As they stand by now: nothing is recorded yet of one whose time has just come."""
        return by_time(super().get_queryset(request))

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Version", ordering="number")
    def version(self, version: PolicyVersion) -> str:
        return f"Version {version.number}"

    @admin.display(description="State", ordering="standing")
    def state(self, version: PolicyVersion) -> str:
        return state_pill(VersionStatus(version.status))

    @admin.display(description="Reason", ordering="reason")
    def reason_short(self, version: PolicyVersion) -> str:
        return Truncator(version.reason).chars(_REASON_CHARS)

    @admin.display(description="Author", ordering="author_label")
    def author_name(self, version: PolicyVersion) -> str:
        return version.author_label or EMPTY

    @admin.display(description="Approved by", ordering="approver_label")
    def approver_name(self, version: PolicyVersion) -> str:
        return approved_by(version.origin, version.approver_label)

    @admin.display(description="In force from", ordering="began_at")
    def from_when(self, version: PolicyVersion) -> str:
        if version.status == VersionStatus.APPROVED:
            return format_html("{} (to come)", moment(version.effective_from))
        return moment(version.valid_from)

    @admin.display(description="until", ordering="ended_at")
    def until_when(self, version: PolicyVersion) -> str:
        return moment(version.valid_to)

    @admin.display(description="Submitted", ordering="submitted_at")
    def submitted(self, version: PolicyVersion) -> str:
        return moment(version.submitted_at)

    @admin.display(description="Review")
    def record(self, version: PolicyVersion) -> str:
        words = "Review" if version.status == VersionStatus.IN_REVIEW else "Record"
        name = f"{words} of version {version.number}"
        return format_html('<a href="{}" aria-label="{}">{}</a>', review_url(version), name, words)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [
            self.page("in-force/", self.in_force_view, name="in_force"),
            self.page("<uuid:object_id>/file/", self.file_view, name="file"),
        ]

    def in_force_view(self, request: HttpRequest) -> HttpResponse:
        require(request, self.view_permission)
        in_force = policy_in_force()
        version = self.find(request, str(in_force.version_id))
        return self._show(request, version, in_force, title="Policy in force")

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        require(request, self.add_permission if object_id is None else self.view_permission)
        version = self.find(request, str(object_id))
        return self._show(request, version, version_snapshot(version), title=str(version))

    def file_view(self, request: HttpRequest, object_id: UUID) -> HttpResponse:
        """The version as the one file: what `manage.py policy export` writes, to read, keep or hand in."""
        require(request, self.view_permission)
        snapshot = version_snapshot(self.find(request, str(object_id)))
        return HttpResponse(
            version_heading(snapshot) + render_policy_file(snapshot),
            content_type="text/x-python; charset=utf-8",
            headers={
                "Content-Disposition": f'attachment; filename="policy-version-{snapshot.number}.py"',
                "Cache-Control": "no-store",
            },
        )

    def _show(
        self, request: HttpRequest, version: PolicyVersion, snapshot: PolicySnapshot, *, title: str
    ) -> HttpResponse:
        status = VersionStatus(snapshot.status)
        reads_log = status is VersionStatus.ACTIVE and may(request, Permission.AUDIT_VIEW)
        traffic = traffic_of_questions() if reads_log else None
        return page(
            self,
            request,
            "glassbox/policy.html",
            title=title,
            crumbs=[title],
            snapshot=snapshot,
            state=state_pill(status),
            origin=VersionOrigin(snapshot.origin).label,
            approver=approved_by(snapshot.origin, snapshot.approver_label),
            kinds=kinds_in_order(snapshot),
            rows=matrix(snapshot),
            budgets=sorted(snapshot.budgets, key=lambda budget: budget.position),
            unused=tuple(unused_parts(snapshot, documents_by_kind(), traffic)),
            thresholds=thresholds(snapshot.classifier),
            search_settings=search_settings(snapshot.retrieval),
            content_sha256=policy_sha256(snapshot),
            examples_count=len(snapshot.examples),
            story=story(version),
            takes_effect=version.effective_from,
            review_url=review_url(version),
            review_words="Review" if status is VersionStatus.IN_REVIEW else "Record of the review",
            file_url=self.url("file", version.id),
            compare_url=compare_url(version),
            copy_url=copy_url(request, version),
        )
