"""Accounts, for the platform's administrators alone. What a person may see is up to their memberships, not to this."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import SimpleTemplateResponse
from django.urls.resolvers import URLPattern

from apps.tenants.admin.base import TenantModelAdmin
from apps.tenants.admin.pages import Decision, decision_page
from apps.tenants.context import open_identity
from apps.tenants.display import ago, moment, pill
from apps.tenants.errors import PlatformOnlyError
from apps.tenants.models import User
from apps.tenants.services.people import user_configure, user_password_link
from apps.tenants.tokens import Identity


def _administrator(request: HttpRequest) -> User:
    """Raises PlatformOnlyError for anybody else."""
    if isinstance(request.user, User) and request.user.is_active and request.user.is_superuser:
        return request.user
    raise PlatformOnlyError


def _seeing_accounts(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page that shows accounts of every tenant, and of none: the database shows them for as long as it is made."""

    @wraps(view)
    def seeing(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        _administrator(request)
        with open_identity(Identity(all_accounts=True)):
            response = view(request, *args, **kwargs)
            if isinstance(response, SimpleTemplateResponse):
                response.render()
        return response

    return seeing


@admin.register(User)
class UserAdmin(TenantModelAdmin):
    title_plural = "Users"
    empty_text = "No account matches."

    list_display = ("username", "full_name", "email", "state", "last_sign_in")
    search_fields = ("username", "first_name", "last_name", "email")
    ordering = ("username",)
    fields = ("username", "first_name", "last_name", "email", "is_active", "joined", "last_sign_in")
    # The address is its person's: it changes by a link that goes to the new mailbox.
    readonly_fields = ("username", "email", "joined", "last_sign_in")

    # --- Permissions: not a role's, since accounts are no tenant's. ---------------------------------------------------

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request, obj)

    def _require_view(self, request: HttpRequest) -> None:
        _administrator(request)

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Name", ordering="last_name")
    def full_name(self, user: User) -> str:
        return user.get_full_name() or "—"

    @admin.display(description="State", ordering="is_active")
    def state(self, user: User) -> str:
        return pill("Active", "good") if user.is_active else pill("Deactivated", "quiet")

    @admin.display(description="Last sign-in", ordering="last_login")
    def last_sign_in(self, user: User) -> str:
        return ago(user.last_login)

    @admin.display(description="Since")
    def joined(self, user: User) -> str:
        return moment(user.date_joined)

    # --- Pages ------------------------------------------------------------------------------------------------------

    change_form_before_template = "glassbox/user_before.html"

    def get_urls(self) -> list[URLPattern]:
        urls = super().get_urls()
        for url in urls:
            # Of Django's views, what they wrap: a refusal becomes a page outside, where accounts are hidden again.
            view = getattr(url.callback, "__wrapped__", url.callback)
            url.callback = self.admin_site.admin_view(_seeing_accounts(view))
        return urls

    def own_urls(self) -> list[URLPattern]:
        return [self.page("<uuid:object_id>/password/", self.password_view, name="new_password")]

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        user_configure(obj, administrator=_administrator(request))

    def password_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        administrator = _administrator(request)
        user = self.find(request, str(object_id))

        def act() -> HttpResponse:
            user_password_link(user, administrator=administrator)
            messages.success(request, f"A link to set a new password is on its way to {user.email}.")
            return HttpResponseRedirect(self.url("change", user.pk))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Send {user.username} a link to set a new password?",
                effects=[
                    f"It goes to {user.email or 'no mailbox: the account names none'}, and works once, for an hour. "
                    "Only its reader learns the password.",
                    "The old password works until a new one is set. It is recorded in the audit log of each tenant "
                    "that the person belongs to.",
                ],
                action="Send the link",
                dangerous=False,
            ),
            act,
            crumbs=[(user.username, self.url("change", user.pk)), "New password"],
            back=self.url("change", user.pk),
        )
