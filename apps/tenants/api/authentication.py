"""DRF's view of what the middleware found: authentication itself happens before the scope is opened."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.requests import access_of


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer gbx_...`, a tenant's key or a person's own; no cookie is asked, so no CSRF token either.

    Raises the middleware's InvalidKeyError for a key that is not valid, and its TooManyKeyAttemptsError.
    """

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        access = access_of(request._request)
        if access.authentication_error is not None:
            raise access.authentication_error
        principal = access.principal
        if principal is None or (principal.kind is not PrincipalKind.API_KEY and principal.key_id is None):
            return None
        return principal, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="glassbox"'


class MemberSessionAuthentication(BaseAuthentication):
    """A signed-in member, with the CSRF check that a browser session needs."""

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        principal = access_of(request._request).principal
        if principal is None or not principal.is_signed_in:
            return None
        check = CSRFCheck(_unused)
        check.process_request(request._request)
        reason = check.process_view(request._request, _unused, (), {})
        if reason:
            raise PermissionDenied(f"CSRF check failed: {reason}")
        return principal, None


def _unused(request: HttpRequest) -> HttpResponse:
    """CSRFCheck wants the rest of a middleware chain, and never calls it."""
    raise AssertionError("the CSRF check does not call on")
