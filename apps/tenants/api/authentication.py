"""DRF's view of what the middleware found: authentication itself happens before the scope is opened."""

from __future__ import annotations

from rest_framework.authentication import BaseAuthentication, CSRFCheck
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from apps.tenants.principals import Principal, PrincipalKind


class ApiKeyAuthentication(BaseAuthentication):
    """`Authorization: Bearer gbx_...`. Raises the middleware's InvalidKeyError for a key that is not valid."""

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        if request._request.authentication_error is not None:
            raise request._request.authentication_error
        principal = request._request.principal
        if principal is None or principal.kind is not PrincipalKind.API_KEY:
            return None
        return principal, None

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="glassbox"'


class MemberSessionAuthentication(BaseAuthentication):
    """A signed-in member, with the CSRF check that a browser session needs."""

    def authenticate(self, request: Request) -> tuple[Principal, None] | None:
        principal = request._request.principal
        if principal is None or principal.kind is not PrincipalKind.USER:
            return None
        check = CSRFCheck(lambda _: None)
        check.process_request(request._request)
        reason = check.process_view(request._request, None, (), {})
        if reason:
            raise PermissionDenied(f"CSRF check failed: {reason}")
        return principal, None
