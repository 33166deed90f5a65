"""The middleware of every request: authenticate it, then answer it within the scopes that its principal holds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import SimpleTemplateResponse, TemplateResponse

from apps.tenants.client_address import address_of
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError, TooManyKeyAttemptsError, UnknownTenantError
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, User
from apps.tenants.principals import Principal
from apps.tenants.requests import Access, access_of, attach_access
from apps.tenants.second_factor.fresh import is_fresh
from apps.tenants.selectors.grants import TenantChoice, key_principal, tenants_of_user, user_principal
from apps.tenants.services.api_keys import api_key_authenticate, api_key_used
from apps.tenants.short_scopes import view_opens_own_scopes
from config.addresses import is_for_programs

SESSION_TENANT = "tenant_id"


class ScopeMiddleware:
    """Authenticates a request (requests.py), and opens the scope of its principal around the view.

    The scope is a transaction. The whole answer, including its template, is made inside it. The view runs in a
    savepoint (ATOMIC_REQUESTS), so that a failed view is rolled back and its failure can still be recorded.

    A view that waits for a model opens its own scopes instead, a short one for each step (short_scopes.py).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        access = Access()
        key: ApiKey | None = None
        authorization = request.headers.get("Authorization", "")
        if is_for_programs(request.path) and authorization:
            try:
                key = api_key_authenticate(_bearer(authorization), address=address_of(request))
                access.principal = key_principal(key)
            except (InvalidKeyError, UnknownTenantError):
                access.authentication_error = InvalidKeyError()
            except TooManyKeyAttemptsError as error:
                access.authentication_error = error
        elif isinstance(request.user, User):
            access.tenant_choices = tenants_of_user(UserId(request.user.id))
            access.principal = _active_principal(request, request.user, access.tenant_choices)
        attach_access(request, access)
        if access.principal is None:
            return self.get_response(request)
        if key is not None:
            api_key_used(access.principal, key)
        if view_opens_own_scopes(request):
            return self.get_response(request)
        with open_scope(tenant=access.principal.tenant_id, principal=access.principal):
            return self.get_response(request)

    def process_template_response(
        self, request: HttpRequest, response: SimpleTemplateResponse
    ) -> SimpleTemplateResponse:
        """Make the page of a view that opens its own scopes: its template asks the database too."""
        principal = access_of(request).principal
        if principal is not None and isinstance(response, TemplateResponse) and view_opens_own_scopes(request):
            with open_scope(tenant=principal.tenant_id, principal=principal):
                response.render()
        return response


def _active_principal(request: HttpRequest, user: User, choices: tuple[TenantChoice, ...]) -> Principal | None:
    """Return the user's principal in the tenant that the session names.

    If the session names no tenant, or one that the user has lost, use the first tenant of the choices.
    """
    if not choices:
        return None
    chosen = request.session.get(SESSION_TENANT)
    ids = [choice.id for choice in choices]
    tenant_id = next((each for each in ids if str(each) == chosen), ids[0])
    if chosen != str(tenant_id):
        request.session[SESSION_TENANT] = str(tenant_id)
    try:
        return replace(user_principal(user, tenant_id), stepped_up=is_fresh(request, user))
    except UnknownTenantError:
        # The membership was revoked between the two queries.
        return None


def _bearer(authorization: str) -> str:
    scheme, _, credentials = authorization.partition(" ")
    return credentials.strip() if scheme.lower() == "bearer" else ""
