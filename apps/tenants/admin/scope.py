"""Scopes: the parts of a tenant, as the tree that they are. A scope's place doesn't change: grants hang on it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls.resolvers import URLPattern
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin, may, require
from apps.tenants.admin.pages import form_page, page
from apps.tenants.admin.scope_field import ScopeField
from apps.tenants.errors import ScopeKeyError
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Membership, Scope
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree
from apps.tenants.services.tenants import scope_create, scope_rename


class ScopeAddForm(forms.Form):
    name = forms.CharField(
        max_length=200, widget=UnfoldAdminTextInputWidget, help_text="The name in documents, such as Global Equity."
    )
    key = forms.CharField(
        max_length=127,
        widget=UnfoldAdminTextInputWidget,
        help_text="type:name in lower case, such as fund:global-equity. Clients name the scope by it.",
    )
    parent = ScopeField(help_text="Anybody who reaches the parent also reaches the new scope.")

    def clean_key(self) -> str:
        key: str = self.cleaned_data["key"]
        if Scope.objects.filter(key=key).exists():
            raise forms.ValidationError(f"There is already a scope {key}.")
        return key


class ScopeRenameForm(forms.Form):
    use_required_attribute = False
    name = forms.CharField(max_length=200, widget=UnfoldAdminTextInputWidget)
    key = forms.CharField(
        max_length=127,
        widget=UnfoldAdminTextInputWidget,
        help_text="type:name in lower case. Change clients that use the key too.",
    )
    reason = forms.CharField(
        label="Why",
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text="For the audit log. Do not name anybody.",
    )


@admin.register(Scope)
class ScopeAdmin(TenantModelAdmin):
    title_plural = "Scopes"
    add_label = "Add scope"
    error_fields = {
        **dict.fromkeys(("tenants.invalid_scope_name", "tenants.scope_key_taken", "tenants.root_scope_key"), "key"),
        "tenants.reason_missing": "reason",
    }

    search_fields = ("key", "name")

    view_permission = Permission.DOCUMENT_VIEW
    add_permission = Permission.SCOPE_MANAGE

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        require(request, self.view_permission)
        return page(
            self,
            request,
            "glassbox/scopes.html",
            title="Scopes",
            crumbs=[],
            nodes=scope_tree(),
            may_add=self.has_add_permission(request),
            add_url=self.url("add"),
        )

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        if object_id is None:
            return self.scope_add(request)
        require(request, self.view_permission)
        scope = self.find(request, object_id)
        holders = may(request, Permission.MEMBER_VIEW)
        held = {"grants__scope": scope, "grants__valid_to__isnull": True}
        return page(
            self,
            request,
            "glassbox/scope.html",
            title=scope.name,
            crumbs=[scope.key],
            scope=scope,
            parent=Scope.objects.filter(id=scope.parent_id).first() if scope.parent_id else None,
            may_add=self.has_add_permission(request),
            may_rename=may(request, Permission.SCOPE_MANAGE),
            children=list(Scope.objects.filter(parent=scope)),
            may_see_holders=holders,
            may_see_keys=may(request, Permission.KEY_MANAGE),
            memberships=list(Membership.objects.filter(**held).select_related("user")) if holders else [],
            keys=list(ApiKey.objects.filter(**held, revoked_at__isnull=True)),
        )

    def own_urls(self) -> list[URLPattern]:
        return [self.page("<uuid:object_id>/rename/", self.rename_view, name="rename")]

    def rename_view(self, request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.SCOPE_MANAGE)
        scope = self.find(request, str(object_id))
        form = ScopeRenameForm(request.POST or None, initial={"name": scope.name, "key": scope.key})

        def act() -> HttpResponse:
            scope_rename(ScopeId(scope.id), **form.cleaned_data)
            messages.success(request, "The scope is renamed. Documents, members and keys reach it as before.")
            return HttpResponseRedirect(self.url("change", scope.pk))

        return form_page(
            self,
            request,
            form,
            act,
            title=f"Rename {scope.name}",
            intro="Documents, grants and the log refer to the scope's id, and stay. The event of this change does "
            "not contain the old name. Earlier events keep it until they are removed.",
            action="Rename the scope",
            crumbs=[(scope.key, self.url("change", scope.pk)), "Rename"],
            back=self.url("change", scope.pk),
        )

    def scope_add(self, request: HttpRequest) -> HttpResponse:
        require(request, self.add_permission)
        initial = {"parent": request.GET.get("parent", "")}
        form = ScopeAddForm(request.POST or None, initial=initial)

        def act() -> HttpResponse:
            typed = form.cleaned_data
            try:
                scope = scope_create(key=typed["key"], name=typed["name"], parent=typed["parent"])
            except ScopeKeyError:
                raise
            except ApplicationError as error:
                # What a higher floor says against it (see registry.register_before_scope) is about where it would lie.
                raise forms.ValidationError({"parent": error.detail}) from error
            messages.success(request, f"{scope.key} is created. Members who reach {typed['parent']} reach it too.")
            return HttpResponseRedirect(self.url("changelist"))

        return form_page(
            self,
            request,
            form,
            act,
            title="Add scope",
            intro="A scope is a part of the tenant, such as one fund, that documents belong to and grants reach.",
            action="Add scope",
        )
