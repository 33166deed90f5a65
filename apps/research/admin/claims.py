"""Check a text: its claims are marked by verdict, each with its evidence. Nothing of it is kept."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from apps.corpus.providers.errors import WarmingUpError
from apps.erasure.errors import ScopeClosedError
from apps.errors import ApplicationError
from apps.research.admin.claims_shown import shown
from apps.research.claims.check import MAXIMUM_CHARS, check_text
from apps.research.claims.checked import Checked
from apps.research.errors import ClaimCheckError
from apps.retrieval.admin.ask_form import AskForm, QuestionField
from apps.tenants.admin.base import require
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes


class CheckForm(AskForm):
    """The text, the company that it is of, and the scopes to stay within."""

    question = None  # type: ignore[assignment]
    text = QuestionField(required=False)
    company = forms.CharField(required=False, max_length=200)


@opens_own_scopes
@require_http_methods(["GET", "POST"])
def claims_view(request: HttpRequest) -> HttpResponse:
    """The form; after a POST the checked text below it. No transaction is open while the text is checked."""
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
    with page.open():
        form = CheckForm(request.POST if request.method == "POST" else None, nodes=scope_tree())
    checked, status = _check(form, principal) if request.method == "POST" else (None, 200)
    with page.open():
        context: dict[str, Any] = {
            **admin.site.each_context(request),
            "title": "Check a text",
            "crumbs": [("Check a text", "")],
            "form": form,
            "text": form.data.get("text", ""),
            "company": form.data.get("company", ""),
            "maximum_chars": MAXIMUM_CHARS,
            "checked": shown(checked) if checked is not None else None,
        }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request, "admin/claims/page.html", context, status=status, headers={"Cache-Control": "no-store"}
    )


def _check(form: CheckForm, principal: Principal) -> tuple[Checked | None, int]:
    """Check the text, or put the refusal beside its field. Returns: what came out if it was checked, and the status."""
    if not form.is_valid():
        return None, 422
    try:
        checked = check_text(
            # Forms send ends of lines in their own way; positions are those of the text as it is shown.
            text=form.cleaned_data["text"].replace("\r\n", "\n"),
            company=form.cleaned_data["company"],
            scopes=form.cleaned_data["scopes"],
            principal=principal,
        )
    except ClaimCheckError as error:
        form.add_error("text", error.detail)
        return None, error.status
    except (ScopeNotGrantedError, ScopeClosedError) as error:
        form.add_error("scopes", error.detail)
        return None, error.status
    except WarmingUpError as error:
        form.add_error(None, error.detail)
        return None, error.status
    except ApplicationError as error:
        form.add_error(None, error.detail)
        return None, error.status
    return checked, 200
