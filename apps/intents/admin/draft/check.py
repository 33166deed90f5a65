"""Testing a draft's classifier: each golden example is asked without itself, and must get its intent."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_admin
from apps.intents.check import golden_check
from apps.intents.contracts import PolicySnapshot
from apps.intents.selectors import version_snapshot
from apps.intents.services.desk import desk_vectors
from apps.intents.services.drafts import own_draft
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.figures import shares_told_apart
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes


@opens_own_scopes
@require_POST
def draft_check_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Test what is saved. A page of its own without the script, a part of the editor with it.

    No transaction is open while the provider works.
    """
    require(request, Permission.POLICY_EDIT)
    acting = ShortScopes.all_of(principal_of(request))
    with acting.open():
        version = own_draft(find_version(version_id).id)
        snapshot = version_snapshot(version)
    outcome = _outcome(snapshot, acting)
    asked_by_script = request.headers.get("X-Requested-With") == "fetch"
    with acting.open():
        return page(
            version_admin(),
            request,
            "glassbox/draft_check.html" if asked_by_script else "glassbox/draft_check_page.html",
            title="Test of the classifier",
            crumbs=crumbs(draft_crumb(version), "Test of the classifier"),
            version=version,
            **outcome,
        )


def _outcome(snapshot: PolicySnapshot, acting: ShortScopes) -> dict[str, Any]:
    if len(snapshot.intents) < 2 or not snapshot.examples:
        return {"refusal": "There is nothing to tell apart yet: it needs two intents and review examples."}
    vectors, problem = desk_vectors(snapshot, acting)
    if vectors is None:
        return {
            "refusal": f"{problem} Without it neither the test nor a submission is possible. Your draft is "
            "saved and undamaged. Try again later."
        }
    check = golden_check(snapshot, vectors)
    accuracy, minimum = shares_told_apart(check.accuracy, check.minimum_accuracy)
    return {
        "check": check,
        "accuracy": accuracy,
        "minimum": minimum,
        "wrong": [
            (each.text, snapshot.label_of(each.expected), snapshot.label_of(each.given), each.reason)
            for each in check.misclassified
        ],
    }
