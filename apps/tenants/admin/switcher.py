"""Changing the active tenant: a POST from the header, checked against the memberships, and recorded."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from apps.tenants.context import open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.events import emit
from apps.tenants.middleware import SESSION_TENANT
from apps.tenants.models import User
from apps.tenants.requests import access_of
from apps.tenants.selectors.grants import user_principal


@require_POST
def tenant_switch(request: HttpRequest) -> HttpResponse:
    """Make another of one's tenants the active one. Raises UnknownTenantError, alike for unknown and foreign."""
    wanted = request.POST.get("tenant", "")
    choice = next((one for one in access_of(request).tenant_choices if str(one.id) == wanted), None)
    if choice is None or not isinstance(request.user, User):
        raise UnknownTenantError(tenant=_quoted(wanted))
    principal = user_principal(request.user, choice.id)
    # The event belongs to the tenant that is entered: its log tells who came in, and when.
    with open_scope(tenant=choice.id, principal=principal):
        emit(
            action="tenants.session.tenant_switched",
            core={"user_id": str(request.user.id)},
            subject_type="user",
            subject_id=request.user.id,
        )
    request.session[SESSION_TENANT] = str(choice.id)
    roles = ", ".join(role.label for role in choice.roles)
    messages.info(request, f"You now work in {choice.name} as {roles}.")
    return HttpResponseRedirect(reverse("admin:index"))


def _quoted(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        return "of that name"
