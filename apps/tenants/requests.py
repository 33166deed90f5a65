"""What the middleware found out about a request: its principal, the user's tenants, or why authentication failed."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

from apps.tenants.errors import InvalidKeyError, NoScopeError, TooManyKeyAttemptsError
from apps.tenants.principals import Principal
from apps.tenants.selectors.grants import TenantChoice


@dataclass(slots=True)
class Access:
    """The access of one request.

    principal: who acts; None for an unauthenticated request, and for a user without a tenant.
    tenant_choices: the tenants that a signed-in person may switch to.
    """

    principal: Principal | None = None
    tenant_choices: tuple[TenantChoice, ...] = ()
    authentication_error: InvalidKeyError | TooManyKeyAttemptsError | None = None


def attach_access(request: HttpRequest, access: Access) -> None:
    """Set request.access, and request.principal and request.tenant_choices, which templates read."""
    request.__dict__.update(access=access, principal=access.principal, tenant_choices=access.tenant_choices)


def access_of(request: HttpRequest) -> Access:
    """Return the access of a request; an empty one if the request did not come through the middleware."""
    found = getattr(request, "access", None)
    return found if isinstance(found, Access) else Access()


def principal_of(request: HttpRequest) -> Principal:
    """Return the principal of a request. Raises NoScopeError if it has none."""
    principal = access_of(request).principal
    if principal is None:
        raise NoScopeError
    return principal
