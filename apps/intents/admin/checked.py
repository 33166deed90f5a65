"""Pages that decide on a policy version, with the check of its review examples computed before their transaction."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Protocol
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from apps.intents.services.checking import Checked, version_checked
from apps.tenants.requests import principal_of
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes


class CheckedPage(Protocol):
    def __call__(self, request: HttpRequest, version_id: UUID, *, checked: Checked | None) -> HttpResponse: ...


def checked_before(decides: Callable[[HttpRequest], bool]) -> Callable[[CheckedPage], Callable[..., HttpResponse]]:
    """Let a page run in one scope, opened after the provider has embedded what the decision stands on.

    Args: decides: whether a request decides; the page gets `checked` then, and else None.
    """

    def around(page: CheckedPage) -> Callable[..., HttpResponse]:
        @opens_own_scopes
        @wraps(page)
        def view(request: HttpRequest, version_id: UUID) -> HttpResponse:
            acting = ShortScopes.all_of(principal_of(request))
            checked = version_checked(version_id, acting) if decides(request) else None
            with acting.open():
                return page(request, version_id, checked=checked)

        return view

    return around
