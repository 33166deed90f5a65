"""Keep the secret of a mailed link in the session, so that it does not appear in the address of a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.http import require_safe


def keep_secret(page: str) -> Callable[..., HttpResponse]:
    """Return a view that puts a link's secret into the session and redirects to the page.

    Opening a link does not use it up.
    """

    @require_safe
    def view(request: HttpRequest, secret: str) -> HttpResponse:
        request.session[_key(page)] = secret
        return HttpResponseRedirect(reverse(page))

    return view


def secret_of(request: HttpRequest, page: str) -> str:
    """Return the secret that the session holds for a page; empty if no link was opened in this browser."""
    return str(request.session.get(_key(page), ""))


def forget_secret(request: HttpRequest, page: str) -> None:
    request.session.pop(_key(page), None)


def entry_page(request: HttpRequest, template: str, *, title: str, status: int = 200, **context: Any) -> HttpResponse:
    """Render a page outside the admin's frame, for people who may not be signed in. No cache keeps it."""
    frame = admin.site.each_context(request)
    response = TemplateResponse(request, template, {**frame, "title": title, **context}, status=status)
    add_never_cache_headers(response)
    return response


def _key(page: str) -> str:
    return f"link:{page}"
