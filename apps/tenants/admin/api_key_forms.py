"""The forms of the API keys page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.utils import timezone
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.tenants.admin.membership_forms import RoleField
from apps.tenants.admin.scope_field import ScopesField
from apps.tenants.roles import Role

_LIVES = (("30", "30 days"), ("90", "90 days"), ("365", "One year"), ("", "Never: revoked by hand"))
_OVERLAPS = (("0", "Now"), ("1", "In one hour"), ("24", "In one day"), ("168", "In one week"))


class ApiKeyAddForm(forms.Form):
    name = forms.CharField(
        max_length=200, widget=UnfoldAdminTextInputWidget, help_text="What uses this key, such as 'Reporting portal'."
    )
    role = RoleField(initial=Role.ANALYST, help_text="What the client may do.")
    scopes = ScopesField(help_text="What the client may reach; a scope reaches everything below it.")
    life_days = forms.ChoiceField(
        label="Expires", choices=_LIVES, initial="365", required=False, widget=UnfoldAdminSelectWidget
    )

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        days = typed.get("life_days")
        typed["expires_at"] = timezone.now() + timedelta(days=int(days)) if days else None
        return typed


class ApiKeyRotateForm(forms.Form):
    overlap_hours = forms.TypedChoiceField(
        label="When does the old key end?",
        choices=_OVERLAPS,
        initial="24",
        coerce=int,
        widget=UnfoldAdminRadioSelectWidget,
        help_text="Until then both work, so that the client can be moved without an interruption.",
    )
