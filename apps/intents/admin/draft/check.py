"""Testing a draft's classifier: each golden example is asked without itself, and must get its intent."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from apps.corpus.providers.tenant import tenant_provider
from apps.errors import ApplicationError
from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_admin
from apps.intents.check import golden_check
from apps.intents.contracts import PolicySnapshot
from apps.intents.selectors import version_snapshot
from apps.intents.services.drafts import own_draft
from apps.intents.services.golden import golden_vectors
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.figures import shares_told_apart
from apps.tenants.roles import Permission


@require_POST
def draft_check_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """Test what is saved. A page of its own without the script, a part of the editor with it."""
    require(request, Permission.POLICY_EDIT)
    version = own_draft(find_version(version_id).id)
    asked_by_script = request.headers.get("X-Requested-With") == "fetch"
    return page(
        version_admin(),
        request,
        "glassbox/draft_check.html" if asked_by_script else "glassbox/draft_check_page.html",
        title="Test of the classifier",
        crumbs=crumbs(draft_crumb(version), "Test of the classifier"),
        version=version,
        **_outcome(version_snapshot(version)),
    )


def _outcome(snapshot: PolicySnapshot) -> dict[str, Any]:
    if len(snapshot.intents) < 2 or not snapshot.examples:
        return {"refusal": "There is nothing to tell apart yet: it needs two intents and review examples."}
    try:
        with transaction.atomic():
            check = golden_check(snapshot, golden_vectors(snapshot=snapshot, provider=tenant_provider()))
    except ApplicationError as error:
        return {
            "refusal": f"{error.detail} Without it neither the test nor a submission is possible. Your draft is "
            "saved and undamaged. Try again later."
        }
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
