"""The sidebar, by what a person wants. It names pages of every floor by address, so it imports none of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse

from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import may
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True)
class Entry:
    """A page: shown to who may open it, once it exists."""

    title: str
    icon: str
    page: str
    permission: Permission
    query: str = ""


_GROUPS: Sequence[tuple[str, Sequence[Entry]]] = (
    (
        "Ask",
        (
            Entry("Ask", "forum", "ask", Permission.QUESTION_ASK),
            Entry("Check a text", "fact_check", "claims", Permission.QUESTION_ASK),
            Entry("Research", "travel_explore", "research", Permission.QUESTION_ASK),
            Entry("My questions", "history", "recent_questions", Permission.QUESTION_ASK),
        ),
    ),
    (
        "Corpus",
        (
            Entry("Documents", "description", "corpus_document_changelist", Permission.DOCUMENT_VIEW),
            Entry("Companies", "domain", "companies", Permission.DOCUMENT_VIEW),
            Entry("Entities", "hub", "entities", Permission.DOCUMENT_VIEW),
            Entry("Upload", "upload_file", "corpus_document_add", Permission.DOCUMENT_ADD),
            Entry("Jobs", "manufacturing", "corpus_ingestjob_changelist", Permission.DOCUMENT_VIEW),
            Entry("Scopes", "account_tree", "tenants_scope_changelist", Permission.DOCUMENT_VIEW),
        ),
    ),
    (
        "Policy",
        (
            Entry("In force", "gavel", "intents_policyversion_in_force", Permission.POLICY_VIEW),
            Entry("Drafts", "edit_note", "policy_drafts", Permission.POLICY_EDIT),
            Entry("Waiting for review", "rate_review", "policy_reviews", Permission.POLICY_VIEW),
            Entry("Notices", "notifications", "notices", Permission.POLICY_VIEW),
            Entry("Absences", "event_busy", "absences", Permission.POLICY_VIEW),
            Entry("Versions", "history", "intents_policyversion_changelist", Permission.POLICY_VIEW),
            Entry("Sent to officers", "outgoing_mail", "sent_inbox", Permission.POLICY_EDIT),
            Entry("Who could reach what", "person_search", "policy_access", Permission.POLICY_VIEW),
            Entry("Access centre", "key_visualizer", "access_centre", Permission.AUDIT_VIEW),
            Entry("Recertifications", "fact_check", "recertifications", Permission.POLICY_VIEW),
            Entry("Classifier's desk", "psychology", "policy_desk", Permission.POLICY_VIEW),
        ),
    ),
    (
        "Quality",
        (
            Entry("Evaluation questions", "quiz", "evaluation_questions", Permission.POLICY_VIEW),
            Entry("Evaluation runs", "monitoring", "evaluation_runs", Permission.POLICY_VIEW),
        ),
    ),
    (
        "Privacy",
        (
            Entry("Access and erasure requests", "person_remove", "erasure_requests", Permission.AUDIT_VIEW),
            Entry("Removals", "delete_forever", "removals", Permission.AUDIT_VIEW),
            Entry("Legal holds", "lock", "audit_legalhold_changelist", Permission.AUDIT_VIEW),
            Entry("Retention", "hourglass_bottom", "retention", Permission.AUDIT_VIEW),
            Entry("Purges", "auto_delete", "purges", Permission.AUDIT_VIEW),
            Entry("Certificates", "workspace_premium", "erasure_certificates", Permission.AUDIT_VIEW),
        ),
    ),
    (
        "Audit",
        (
            Entry("Events", "receipt_long", "audit_event_changelist", Permission.AUDIT_VIEW),
            Entry("Reports", "bar_chart", "audit_report", Permission.AUDIT_VIEW),
            Entry("Use of models", "token", "model_usage", Permission.AUDIT_VIEW),
            Entry("Verification", "verified", "audit_verification", Permission.AUDIT_VIEW),
        ),
    ),
    (
        "Administration",
        (
            Entry("Tenant", "apartment", "tenants_tenant_changelist", Permission.MEMBER_VIEW),
            Entry("Members", "group", "tenants_membership_changelist", Permission.MEMBER_VIEW),
            Entry("API keys", "key", "tenants_apikey_changelist", Permission.KEY_MANAGE),
            Entry("Webhooks", "webhook", "webhooks", Permission.TENANT_MANAGE),
            Entry("My keys", "badge", "my_keys", Permission.POLICY_VIEW),
            Entry("My account", "person", "my_account", Permission.POLICY_VIEW),
            Entry("Second factor", "phonelink_lock", "second_factor", Permission.POLICY_VIEW),
            Entry("What is held about me", "contact_page", "my_data", Permission.POLICY_VIEW),
        ),
    ),
)


def navigation(request: HttpRequest) -> list[dict[str, Any]]:
    """Unfold's navigation: what a role may not open is not in it."""
    first = [_item(request, "Start", "home", reverse("admin:index")), _item(request, "Help", "help", address("help"))]
    groups = [{"title": "", "items": first}]
    for title, entries in _GROUPS:
        items = [
            _item(request, entry.title, entry.icon, link + entry.query)
            for entry in entries
            if may(request, entry.permission) and (link := address(entry.page))
        ]
        if items:
            groups.append({"title": title, "items": items})
    if request.user.is_active and getattr(request.user, "is_superuser", False):
        groups.append(
            {
                "title": "Platform",
                "items": [_item(request, "Users", "manage_accounts", reverse("admin:tenants_user_changelist"))],
            }
        )
    _mark_active(request, groups)
    return groups


def may_see_history(request: HttpRequest) -> bool:
    """Whether a row's page links to its audit events."""
    return may(request, Permission.AUDIT_VIEW)


def _item(request: HttpRequest, title: str, icon: str, link: str) -> dict[str, Any]:
    return {"title": title, "icon": icon, "link": link, "active": False}


def _mark_active(request: HttpRequest, groups: list[dict[str, Any]]) -> None:
    """Exactly one: the longest address that the page's own begins with (Upload lies below Documents)."""
    items = [item for group in groups for item in group["items"]]
    start = reverse("admin:index")
    matching = [
        item
        for item in items
        if request.path == item["link"] or (item["link"] != start and request.path.startswith(item["link"]))
    ]
    if matching:
        max(matching, key=lambda item: len(item["link"]))["active"] = True
