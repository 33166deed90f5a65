"""API keys: made, rotated, revoked. A key is shown once, when it is made; the rows end, they are never deleted."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern

from apps.tenants.admin.api_key_forms import ApiKeyAddForm, ApiKeyRenameForm, ApiKeyRotateForm
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.key_state import KeyStateFilter, is_valid, key_state
from apps.tenants.admin.kit import ChoicesDropdownFilter
from apps.tenants.admin.pages import Decision, decision_page, form_page, page, secret_page
from apps.tenants.display import ago, moment
from apps.tenants.errors import NotInPersonError
from apps.tenants.models import ApiKey, User
from apps.tenants.roles import Permission, Role
from apps.tenants.selectors.directory import reach_in_words, with_person, with_reach
from apps.tenants.services.api_keys import api_key_create, api_key_rename, api_key_revoke, api_key_rotate

_NOTES = (
    "Store it now in the client's secret store: it is shown only this once, and only its digest is kept.",
    "The client sends it as “Authorization: Bearer gbx_…” to /api/v1/.",
)


@admin.register(ApiKey)
class ApiKeyAdmin(TenantModelAdmin):
    title_plural = "API keys"
    add_label = "Create API key"
    empty_text = (
        "No client has a key yet. “Create API key” makes one for a program that asks questions or uploads documents."
    )

    list_display = ("name", "prefix_shown", "acts_for", "role_name", "reaches", "last_use", "expires", "standing")
    search_fields = ("name", "prefix", "person__username")
    search_help_text = "Name, a person's username, or the twelve characters after gbx_"
    list_filter = (("role", ChoicesDropdownFilter), KeyStateFilter)

    view_permission = Permission.KEY_MANAGE
    add_permission = Permission.KEY_MANAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApiKey]:
        return with_reach(with_person(super().get_queryset(request)))

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="Begins with")
    def prefix_shown(self, key: ApiKey) -> str:
        return f"gbx_{key.prefix}…"

    @admin.display(description="Acts for", ordering="person__username")
    def acts_for(self, key: ApiKey) -> str:
        return str(key.person) if key.person else "the tenant"

    @admin.display(description="Role", ordering="role")
    def role_name(self, key: ApiKey) -> str:
        return Role(key.role).label

    @admin.display(description="Scopes")
    def reaches(self, key: Any) -> str:
        return reach_in_words(key.scope_keys)

    @admin.display(description="Last use", ordering="last_used_at")
    def last_use(self, key: ApiKey) -> str:
        return ago(key.last_used_at)

    @admin.display(description="Expires", ordering="expires_at")
    def expires(self, key: ApiKey) -> str:
        return moment(key.expires_at, empty="never")

    @admin.display(description="State", ordering="revoked_at")
    def standing(self, key: Any) -> str:
        return key_state(key)

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [
            self.page("<uuid:object_id>/rotate/", self.rotate_view, name="rotate"),
            self.page("<uuid:object_id>/revoke/", self.revoke_view, name="revoke"),
            self.page("<uuid:object_id>/rename/", self.rename_view, name="rename"),
        ]

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            return self.key_create(request)
        require(request, self.view_permission)
        key = self.find(request, object_id)
        return page(
            self,
            request,
            "glassbox/api_key.html",
            title=key.name,
            crumbs=[str(key)],
            key=key,
            prefix=self.prefix_shown(key),
            role=Role(key.role).label,
            reach=self.reaches(key),
            standing=self.standing(key),
            is_valid=is_valid(key),
            maker=User.objects.filter(id=key.created_by_id).first() if key.created_by_id else None,
            successors=list(key.successors.all()),
        )

    def key_create(self, request: HttpRequest) -> HttpResponse:
        require(request, self.add_permission)
        form = ApiKeyAddForm(request.POST or None)

        def act() -> HttpResponse:
            typed = form.cleaned_data
            key, plain = api_key_create(
                name=typed["name"], role=typed["role"], scopes=typed["scopes"], expires_at=typed["expires_at"]
            )
            return self._shown_once(request, f"The key “{key.name}” is ready", plain, _NOTES)

        return form_page(
            self,
            request,
            form,
            act,
            title="Create API key",
            intro="A key lets a program ask questions or upload documents as this tenant, within a role and scopes. "
            "Only a person can make a key that acts for them, under My keys.",
            action="Create key",
        )

    def rotate_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.KEY_MANAGE)
        key = self.find(request, str(object_id))
        if key.person_id is not None:
            raise NotInPersonError
        form = ApiKeyRotateForm(request.POST or None)

        def act() -> HttpResponse:
            hours = form.cleaned_data["overlap_hours"]
            successor, plain = api_key_rotate(key, overlap=timedelta(hours=hours))
            ends = "has ended" if not hours else f"ends in {hours} hours" if hours > 1 else "ends in one hour"
            return self._shown_once(
                request, f"The key “{successor.name}” has a successor", plain, [*_NOTES, f"The old key {ends}."]
            )

        return form_page(
            self,
            request,
            form,
            act,
            title=f"Rotate {key.name}",
            intro="Makes a new key with the same name, role and scopes, and ends the old one.",
            action="Make the new key",
            crumbs=[(str(key), self.url("change", key.pk)), "Rotate"],
            back=self.url("change", key.pk),
        )

    def rename_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.KEY_MANAGE)
        key = self.find(request, str(object_id))
        form = ApiKeyRenameForm(request.POST or None, initial={"name": key.name})

        def act() -> HttpResponse:
            api_key_rename(key.id, **form.cleaned_data)
            messages.success(request, "The key is renamed. Nothing else about it has changed.")
            return HttpResponseRedirect(self.url("change", key.pk))

        return form_page(
            self,
            request,
            form,
            act,
            title=f"Rename {key.name}",
            intro="The key, its role and its scopes stay. The event of this change does not contain the old name. "
            "Earlier events keep it until they are removed.",
            action="Rename the key",
            crumbs=[(str(key), self.url("change", key.pk)), "Rename"],
            back=self.url("change", key.pk),
        )

    def revoke_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.KEY_MANAGE)
        key = self.find(request, str(object_id))

        def act() -> HttpResponse:
            api_key_revoke(key)
            messages.success(request, f"{key} is revoked. It is recorded in the audit log.")
            return HttpResponseRedirect(self.url("changelist"))

        return decision_page(
            self,
            request,
            Decision(
                question=f"Revoke {key}?",
                effects=[
                    (
                        "From the next request on, anybody who sends this key gets the answer “401: the API key is "
                        "not valid”."
                    ),
                    f"Its last use: {key.last_used_at:%Y-%m-%d %H:%M} UTC."
                    if key.last_used_at
                    else "It was never used.",
                    f"It acts for {key.person}, whose sign-in and other keys do not change. Only they can make "
                    "another one, under My keys."
                    if key.person
                    else "To change the key without an interruption, rotate it instead.",
                ],
                irreversible="A revoked key can't be restored.",
                action="Revoke key",
            ),
            act,
            crumbs=[(str(key), self.url("change", key.pk)), "Revoke"],
            back=self.url("change", key.pk),
        )

    def _shown_once(self, request: HttpRequest, title: str, plain: str, notes: Any) -> HttpResponse:
        return secret_page(
            self,
            request,
            title=title,
            crumbs=["Key created"],
            secret=plain,
            caption="API key",
            notes=notes,
            back=self.url("changelist"),
        )
