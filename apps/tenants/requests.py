"""What the middleware found out about a request, with its types."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest

from apps.tenants.errors import InvalidKeyError, NoScopeError, TooManyKeyAttemptsError
from apps.tenants.principals import Principal
from apps.tenants.selectors.grants import TenantChoice


@dataclass(slots=True)
class Access:
    """principal is None for nobody; tenant_choices are the tenants that a signed-in person may switch to."""

    principal: Principal | None = None
    tenant_choices: tuple[TenantChoice, ...] = ()
    authentication_error: InvalidKeyError | TooManyKeyAttemptsError | None = None


def attach_access(request: HttpRequest, access: Access) -> None:
    """Make it readable as request.access, and for templates as request.principal."""
    request.__dict__.update(access=access, principal=access.principal, tenant_choices=access.tenant_choices)


def access_of(request: HttpRequest) -> Access:
    """Empty for a request that did not come through the middleware."""
    found = getattr(request, "access", None)
    return found if isinstance(found, Access) else Access()


def principal_of(request: HttpRequest) -> Principal:
    """Raises NoScopeError for nobody."""
    principal = access_of(request).principal
    if principal is None:
        raise NoScopeError
    return principal
