"""The examples on the Ask page, which its script fetches: checking them after a change takes some seconds."""

from __future__ import annotations

from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_safe

from apps.intents.errors import NoPolicyInForceError
from apps.retrieval.services.answerable_examples import answerable_examples
from apps.tenants.admin.base import require
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import opens_own_scopes

_NOT_YET: Final = 202


@opens_own_scopes
@require_safe
def ask_examples_view(request: HttpRequest) -> HttpResponse:
    """The examples as a part of the page. Status 202: they can't be told yet; ask again in a moment."""
    require(request, Permission.QUESTION_ASK)
    context = examples_context(principal_of(request))
    status = _NOT_YET if context["examples"] is None else 200
    headers = {"Cache-Control": "no-store"}
    return TemplateResponse(request, "admin/ask/example_groups.html", context, status=status, headers=headers)


def examples_context(principal: Principal) -> dict[str, Any]:
    """Return what the template shows. Call it outside of any scope: questions are asked."""
    try:
        return {"examples": answerable_examples(principal), "has_policy": True}
    except NoPolicyInForceError:
        return {"examples": (), "has_policy": False}
