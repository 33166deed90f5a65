"""Suggestions for examples of an intent, made from documents: an officer ticks what becomes an example of the draft."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.errors import ApplicationError
from apps.intents.admin.draft.links import crumbs, draft_crumb, find_version, version_admin
from apps.intents.errors import EmptyExampleError, UnknownExampleIntentError
from apps.intents.models import PolicyVersion
from apps.intents.policy_file.limits import LONGEST_EXAMPLE
from apps.intents.services.drafts import own_draft
from apps.intents.services.examples import golden_examples_add
from apps.intents.services.suggesting import MOST_DOCUMENTS, MOST_SUGGESTED, suggest_examples
from apps.intents.suggestion import Found
from apps.tenants.admin.base import require
from apps.tenants.admin.pages import page
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

_NOTHING_TICKED: Final = "Tick at least one question, or go back to the draft."
_TOO_LONG: Final = f"An example has at most {LONGEST_EXAMPLE} characters."
FOUND_IN: Final = {
    Found.HEADING: "the heading",
    Found.ROW: "the row of a table",
    Found.TERM: "the defined term",
}


@opens_own_scopes
@require_http_methods(["GET", "HEAD", "POST"])
def draft_suggest_view(request: HttpRequest, version_id: UUID, intent: str) -> HttpResponse:
    """Show suggestions; a POST adds those that are ticked. No transaction is open while the provider works."""
    require(request, Permission.POLICY_EDIT)
    acting = ShortScopes.all_of(principal_of(request))
    ticked = tuple(dict.fromkeys(" ".join(text.split()) for text in request.POST.getlist("text")))
    with acting.open():
        version = find_version(version_id)
        own_draft(version.id)
    problem = ""
    if request.method == "POST":
        with acting.open():
            problem = _add(request, version, intent, ticked)
            if not problem:
                return HttpResponseRedirect(f"{reverse('admin:policy_draft', args=[version.id])}#part-intents")
    try:
        suggested = suggest_examples(draft_id=version.id, intent=intent, acting=acting)
    except UnknownExampleIntentError as error:
        raise Http404(error.detail) from None
    title = f"Examples for {suggested.label}"
    with acting.open():
        return page(
            version_admin(),
            request,
            "glassbox/draft_suggestions.html",
            title=title,
            crumbs=crumbs(draft_crumb(version), title),
            status=422 if problem else 200,
            version=version,
            suggested=suggested,
            rows=[(each, FOUND_IN[each.found], each.text in ticked) for each in suggested.questions],
            problem=problem,
            limits={"questions": MOST_SUGGESTED, "documents": MOST_DOCUMENTS},
        )


def _add(request: HttpRequest, version: PolicyVersion, intent: str, texts: tuple[str, ...]) -> str:
    """Add what was ticked. Return what is wrong, in words; empty if it was added."""
    if any(len(text) > LONGEST_EXAMPLE for text in texts):
        return _TOO_LONG
    try:
        with transaction.atomic():
            added = golden_examples_add(texts=texts, intent=intent, draft_id=version.id)
    except EmptyExampleError:
        return _NOTHING_TICKED
    except UnknownExampleIntentError as error:
        raise Http404(error.detail) from None
    except ApplicationError as error:
        return error.detail
    count = len(added)
    messages.success(
        request,
        f"{count} example{'s' * (count != 1)} added to the draft. Nothing takes effect until the draft is approved.",
    )
    return ""
