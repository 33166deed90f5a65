"""Pages that are not Django's list and form: a form of our own, a decision to confirm, a secret shown once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from apps.errors import ApplicationError
from apps.tenants.admin.base import Crumb, TenantModelAdmin, add_error


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a person must know before they act.

    question: the page's title, as what is asked.
    effects: what happens, in plain words, one sentence each.
    irreversible: what can't be undone; empty where nothing is.
    action: the button, named by its effect.
    read: what the yes says that was read, such as a revision: hidden fields of the form.
    """

    question: str
    effects: Sequence[str]
    action: str
    irreversible: str = ""
    dangerous: bool = True
    facts: Mapping[str, Any] = field(default_factory=dict)
    read: Mapping[str, Any] = field(default_factory=dict)


def page(
    model_admin: TenantModelAdmin,
    request: HttpRequest,
    template: str,
    *,
    title: str,
    crumbs: Sequence[str | Crumb],
    status: int = 200,
    **context: Any,
) -> TemplateResponse:
    """One of our own pages within the admin's frame."""
    request.__dict__["current_app"] = model_admin.admin_site.name
    return TemplateResponse(
        request,
        template,
        {
            **model_admin.admin_site.each_context(request),
            "title": title,
            "model_admin": model_admin,
            "list_url": model_admin.url("changelist"),
            "crumbs": model_admin.crumbs(*crumbs),
            **context,
        },
        status=status,
    )


def form_page(
    model_admin: TenantModelAdmin,
    request: HttpRequest,
    form: forms.BaseForm,
    act: Callable[[], HttpResponse],
    *,
    title: str,
    intro: str,
    action: str,
    crumbs: Sequence[str | Crumb] = (),
    back: str = "",
    template: str = "glassbox/form_page.html",
    **context: Any,
) -> HttpResponse:
    """Show a form; once it is valid, act. A refusal of the service comes back beside its field.

    Args: act: does it and answers; run in a savepoint, and only for a valid POST.
          intro: what this is, in one sentence.
          action: the button, named by its effect.
    """
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                return act()
        except (ApplicationError, ValidationError) as error:
            add_error(form, error, model_admin.error_field(error, form))
    return page(
        model_admin,
        request,
        template,
        title=title,
        crumbs=crumbs or [title],
        form=form,
        intro=intro,
        action=action,
        back=back or model_admin.url("changelist"),
        **context,
    )


def decision_page(
    model_admin: TenantModelAdmin,
    request: HttpRequest,
    decision: Decision,
    act: Callable[[], HttpResponse],
    *,
    crumbs: Sequence[str | Crumb],
    back: str,
) -> HttpResponse:
    """Ask before acting; the POST of the page is the yes."""
    refusal = ""
    if request.method == "POST":
        try:
            with transaction.atomic():
                return act()
        except ApplicationError as error:
            refusal = error.detail
    return page(
        model_admin,
        request,
        "glassbox/decision.html",
        title=decision.question,
        crumbs=crumbs,
        decision=decision,
        refusal=refusal,
        back=back,
    )


def secret_page(
    model_admin: TenantModelAdmin,
    request: HttpRequest,
    *,
    title: str,
    crumbs: Sequence[str | Crumb],
    secret: str,
    caption: str,
    notes: Sequence[str],
    back: str,
) -> HttpResponse:
    """Show a secret, once: it is in this answer and nowhere else, neither in a session nor in a cache."""
    response = page(
        model_admin,
        request,
        "glassbox/secret.html",
        title=title,
        crumbs=crumbs,
        secret=secret,
        caption=caption,
        notes=notes,
        back=back,
    )
    response["Cache-Control"] = "no-store"
    return response
