"""The forms of the Members page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextInputWidget,
)

from apps.tenants.admin.scope_field import ScopesField
from apps.tenants.roles import Role

# What a person who hands out roles must know of each; the table itself is apps/tenants/roles.py.
ROLE_SENTENCES = {
    Role.ANALYST: "asks questions and uploads documents",
    Role.COMPLIANCE_OFFICER: "drafts the policy, asks questions, reads the audit log",
    Role.REVIEWER: "approves what an officer drafted, reads the audit log",
    Role.DPO: "handles erasure and access requests, deletes documents",
    Role.AUDITOR: "reads documents, policy and the audit log; changes nothing",
    Role.TENANT_ADMIN: "manages members, scopes, API keys, documents and settings",
}


def role_choices() -> list[tuple[str, str]]:
    return [(role.value, f"{role.label}: {sentence}") for role, sentence in ROLE_SENTENCES.items()]


class RoleField(forms.TypedChoiceField):
    """A role, with what it may do beside its name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=role_choices, coerce=Role, widget=UnfoldAdminRadioSelectWidget, **kwargs)


class MemberAddForm(forms.Form):
    username = forms.CharField(
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=UnfoldAdminTextInputWidget,
        help_text="What the person signs in with; the e-mail address does well.",
    )
    first_name = forms.CharField(max_length=150, required=False, widget=UnfoldAdminTextInputWidget)
    last_name = forms.CharField(max_length=150, required=False, widget=UnfoldAdminTextInputWidget)
    email = forms.EmailField(label="E-mail", required=False, widget=UnfoldAdminEmailInputWidget)
    role = RoleField(help_text="A second role is a second entry for the same username.")
    scopes = ScopesField(help_text="A scope reaches everything below it, now and later.")


class MemberScopesForm(forms.Form):
    scopes = ScopesField(help_text="A scope reaches everything below it, now and later.")
