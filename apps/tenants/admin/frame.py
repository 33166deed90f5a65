"""A page of the product's own within the admin's frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from apps.tenants.admin.base import may
from apps.tenants.roles import Permission


def frame(
    request: HttpRequest,
    template: str,
    *,
    title: str,
    crumbs: Sequence[tuple[str, str]] = (),
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """One of these pages within the admin's frame; never an old one out of a cache, since others decide meanwhile."""
    every = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [*crumbs, (title, "")],
        "manages": may(request, Permission.PRIVACY_MANAGE),
        **context,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, template, every, status=status, headers={"Cache-Control": "no-store"})
