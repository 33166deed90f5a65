"""The tenant's own settings: where its data must stay, and which providers may see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponseRedirect
from unfold.widgets import UnfoldAdminSelectWidget

from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.display import moment
from apps.tenants.models import Tenant
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.services.tenants import tenant_configure

_BACKENDS = {
    "sentence-transformers": "a model on this installation's own machines",
    "extractive": "no model: answers are sentences quoted from the documents",
    "openai": "an OpenAI-compatible service",
}


def _profiles(configured: Mapping[str, Mapping[str, Any]]) -> list[tuple[str, str]]:
    return [
        (name, f"{name}: {_BACKENDS.get(profile['backend'], profile['backend'])}, in {profile['region']}")
        for name, profile in configured.items()
    ]


class TenantForm(forms.ModelForm[Tenant]):
    embedding_profile = forms.ChoiceField(
        label="Embedding provider",
        choices=lambda: _profiles(settings.GLASSBOX_EMBEDDING_PROFILES),
        widget=UnfoldAdminSelectWidget,
        help_text="Receives the text of every document and question, and computes the vectors that find passages by "
        "meaning. After a change, all documents are embedded again. Until a document's turn has come, "
        "questions find it by its words only, and their answers say so.",
    )
    generation_profile = forms.ChoiceField(
        label="Answer provider",
        choices=lambda: _profiles(settings.GLASSBOX_GENERATION_PROFILES),
        widget=UnfoldAdminSelectWidget,
        help_text="Receives each question with the passages found for it, and writes the answer.",
    )

    class Meta:
        model = Tenant
        fields = ("name", "residency_region", "residency_strict", "embedding_profile", "generation_profile")
        labels = {"residency_region": "Region", "residency_strict": "Strict residency"}


@admin.register(Tenant)
class TenantAdmin(TenantModelAdmin):
    title_plural = "Tenant"
    form = TenantForm

    fieldsets = (
        (None, {"fields": ("name", "slug", "status", "created")}),
        (
            "Residency",
            {
                "description": "Documents, questions and vectors are stored in this installation's database. With "
                "strict residency, they are not sent to a provider outside the region either: such a "
                "provider is refused here, and again at every call.",
                "fields": ("residency_region", "residency_strict"),
            },
        ),
        ("Providers", {"fields": ("embedding_profile", "generation_profile")}),
    )
    readonly_fields = ("slug", "status", "created")

    view_permission = Permission.MEMBER_VIEW
    change_permission = Permission.TENANT_MANAGE

    def get_queryset(self, request: HttpRequest) -> QuerySet[Tenant]:
        return super().get_queryset(request).filter(id=principal_of(request).tenant_id)

    @admin.display(description="Since")
    def created(self, tenant: Tenant) -> str:
        return moment(tenant.created_at)

    def changelist_view(self, request: HttpRequest, extra_context: Any = None) -> Any:
        """A person works in one tenant at a time: its list is its page."""
        require(request, self.view_permission)
        return HttpResponseRedirect(self.url("change", principal_of(request).tenant_id))

    def error_field(self, error: ApplicationError | ValidationError, form: forms.BaseForm) -> str | None:
        if isinstance(error, ApplicationError) and error.code == "tenants.residency":
            profiles = ("embedding_profile", "generation_profile")
            return next((name for name in profiles if form.data.get(name) == error.data["provider"]), None)
        return super().error_field(error, form)

    def save_model(self, request: HttpRequest, obj: Tenant, form: Any, change: bool) -> None:
        tenant_configure(obj)

    def response_change(self, request: HttpRequest, obj: Tenant) -> HttpResponseRedirect:
        messages.success(request, "The settings are saved and recorded in the audit log.")
        return HttpResponseRedirect(self.url("change", obj.pk))
