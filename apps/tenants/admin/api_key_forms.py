"""The forms of the pages API keys and My keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from django import forms
from django.utils import timezone
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.tenants.admin.membership_forms import ROLE_SENTENCES, RoleField
from apps.tenants.admin.scope_field import ScopesField
from apps.tenants.roles import Role

_LIVES = (("30", "30 days"), ("90", "90 days"), ("365", "One year"), ("", "Never: revoked by hand"))
_OWN_LIVES = (("30", "30 days"), ("90", "90 days"), ("180", "180 days"), ("365", "One year"))
# What a key of that role does without what is withheld from it (principals.WITHHELD_FROM_KEYS).
_BY_KEY = {**ROLE_SENTENCES, Role.TENANT_ADMIN: "adds scopes, uploads and proposes to remove documents, restarts jobs"}
_OVERLAPS = (("0", "Now"), ("1", "In one hour"), ("24", "In one day"), ("168", "In one week"))


class ApiKeyAddForm(forms.Form):
    name = forms.CharField(
        max_length=200, widget=UnfoldAdminTextInputWidget, help_text="What uses this key, such as 'Reporting portal'."
    )
    role = RoleField(initial=Role.ANALYST, help_text="What the client may do.")
    scopes = ScopesField(help_text="What the client may reach. A scope includes everything below it.")
    life_days = forms.ChoiceField(
        label="Expires", choices=_LIVES, initial="365", required=False, widget=UnfoldAdminSelectWidget
    )

    def clean(self) -> dict[str, Any]:
        typed = super().clean() or {}
        days = typed.get("life_days")
        typed["expires_at"] = timezone.now() + timedelta(days=int(days)) if days else None
        return typed


class ApiKeyRenameForm(forms.Form):
    use_required_attribute = False
    name = forms.CharField(max_length=200, widget=UnfoldAdminTextInputWidget)
    reason = forms.CharField(
        label="Why",
        max_length=500,
        widget=UnfoldAdminTextInputWidget,
        help_text="For the audit log. Do not name anybody.",
    )


class ApiKeyRotateForm(forms.Form):
    overlap_hours = forms.TypedChoiceField(
        label="When does the old key end?",
        choices=_OVERLAPS,
        initial="24",
        coerce=int,
        widget=UnfoldAdminRadioSelectWidget,
        help_text="Until then both keys work, so that you can move the client without interruption.",
    )


class _OwnLifeForm(forms.Form):
    life_days = forms.TypedChoiceField(
        label="Expires",
        choices=_OWN_LIVES,
        initial="90",
        coerce=int,
        widget=UnfoldAdminSelectWidget,
        help_text="A personal key always expires.",
    )

    @property
    def expires_at(self) -> datetime:
        """Of a valid form."""
        return timezone.now() + timedelta(days=self.cleaned_data["life_days"])


class MyKeyAddForm(_OwnLifeForm):
    name = forms.CharField(
        max_length=200,
        widget=UnfoldAdminTextInputWidget,
        help_text="What uses this key, such as 'Policy script'. The audit log shows it beside your name.",
    )
    role = RoleField(help_text="One of your roles. If you lose the role, the key opens nothing.")
    scopes = ScopesField(
        help_text=(
            "Some of your scopes. A scope includes everything below it. If you lose a scope, the key loses it too."
        )
    )

    field_order = ("name", "role", "scopes", "life_days")

    def __init__(self, data: Mapping[str, Any] | None = None, *, roles: Iterable[Role]) -> None:
        held = sorted(roles, key=list(Role).index)
        super().__init__(data, initial={"role": held[0]} if len(held) == 1 else None)
        role: Any = self.fields["role"]
        role.choices = [(each.value, f"{each.label}: {_BY_KEY[each]}") for each in held]


class MyKeyRotateForm(ApiKeyRotateForm, _OwnLifeForm):
    pass
