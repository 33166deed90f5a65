"""The policy: the version in force, and the versions before it. Read only: only a draft can ever change."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.urls.resolvers import URLPattern

from apps.corpus.kinds import Kind
from apps.intents.admin.matrix import kinds_in_order, matrix, search_settings, thresholds
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.tenants.admin.base import TenantModelAdmin, require
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


def approved_by(origin: str, approver_label: str) -> str:
    if approver_label:
        return approver_label
    return "shipped baseline" if origin == VersionOrigin.BASELINE else EMPTY


@admin.register(PolicyVersion)
class PolicyVersionAdmin(TenantModelAdmin):
    title_plural = "Policy versions"
    empty_text = "No version matches. Every tenant begins with version 1, the shipped baseline."

    list_display = ("version", "state", "origin", "author", "approver_name", "from_when", "until_when", "reason")
    list_display_links = ("version",)
    list_filter = ()
    search_fields = ("reason", "author_label", "approver_label")
    search_help_text = "Reason, author or approver"

    view_permission = Permission.POLICY_VIEW

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Version", ordering="number")
    def version(self, version: PolicyVersion) -> str:
        return f"Version {version.number}"

    @admin.display(description="State", ordering="status")
    def state(self, version: PolicyVersion) -> str:
        return pill(version.get_status_display(), _TONES[VersionStatus(version.status)])

    @admin.display(description="Author", ordering="author_label")
    def author(self, version: PolicyVersion) -> str:
        return version.author_label or EMPTY

    @admin.display(description="Approved by", ordering="approver_label")
    def approver_name(self, version: PolicyVersion) -> str:
        return approved_by(version.origin, version.approver_label)

    @admin.display(description="In force from", ordering="valid_from")
    def from_when(self, version: PolicyVersion) -> str:
        return moment(version.valid_from)

    @admin.display(description="until", ordering="valid_to")
    def until_when(self, version: PolicyVersion) -> str:
        return moment(version.valid_to)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [self.page("in-force/", self.in_force_view, name="in_force")]

    def in_force_view(self, request: HttpRequest) -> HttpResponse:
        require(request, self.view_permission)
        return self._show(request, policy_in_force(), title="Policy in force")

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        require(request, self.add_permission if object_id is None else self.view_permission)
        version = self.find(request, str(object_id))
        return self._show(request, version_snapshot(version), title=str(version))

    def _show(self, request: HttpRequest, snapshot: PolicySnapshot, *, title: str) -> HttpResponse:
        status = VersionStatus(snapshot.status)
        return page(
            self,
            request,
            "glassbox/policy.html",
            title=title,
            crumbs=[title],
            snapshot=snapshot,
            state=pill(status.label, _TONES[status]),
            origin=VersionOrigin(snapshot.origin).label,
            approver=approved_by(snapshot.origin, snapshot.approver_label),
            kinds=kinds_in_order(snapshot),
            rows=matrix(snapshot),
            budgets=sorted(snapshot.budgets, key=lambda budget: budget.position),
            kind_labels={kind: Kind(kind).label for kind in Kind},
            thresholds=thresholds(snapshot.classifier),
            search_settings=search_settings(snapshot.retrieval),
            content_sha256=policy_sha256(snapshot),
            examples_count=len(snapshot.examples),
        )
