"""The forms of the Members page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.validators import UnicodeUsernameValidator
from unfold.widgets import (
    UnfoldAdminEmailInputWidget,
    UnfoldAdminRadioSelectWidget,
    UnfoldAdminTextareaWidget,
)

from apps.tenants.admin.scope_field import ScopesField
from apps.tenants.roles import Role

# What a person who hands out roles must know of each; the table itself is apps/tenants/roles.py.
ROLE_SENTENCES = {
    Role.ANALYST: "asks questions and uploads documents",
    Role.COMPLIANCE_OFFICER: "drafts the policy, asks questions, reads the audit log",
    Role.REVIEWER: "approves what an officer drafted, reads the audit log",
    Role.DPO: "handles erasure and access requests, proposes to remove documents",
    Role.AUDITOR: "reads documents, policy and the audit log; changes nothing",
    Role.TENANT_ADMIN: "manages members, scopes, API keys, documents and settings",
}


def role_choices() -> list[tuple[str, str]]:
    return [(role.value, f"{role.label}: {sentence}") for role, sentence in ROLE_SENTENCES.items()]


class RoleField(forms.TypedChoiceField):
    """A role, with what it may do beside its name."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=role_choices, coerce=Role, widget=UnfoldAdminRadioSelectWidget, **kwargs)


class MemberInviteForm(forms.Form):
    email = forms.EmailField(
        label="E-mail",
        max_length=150,
        # It becomes the sign-in name of a person who has no account yet.
        validators=[UnicodeUsernameValidator(message="Only letters, digits and @ . + - _")],
        widget=UnfoldAdminEmailInputWidget,
        help_text="The person's own mailbox: whoever reads the link there may accept.",
    )
    role = RoleField(help_text="For a second role, send a second invitation.")
    scopes = ScopesField(help_text="A scope includes everything below it, now and later.")


class FactorResetForm(forms.Form):
    reason = forms.CharField(
        max_length=1000,
        widget=UnfoldAdminTextareaWidget,
        help_text="How you know that the device is lost. Whoever decides reads this.",
    )


class MemberScopesForm(forms.Form):
    scopes = ScopesField(help_text="A scope includes everything below it, now and later.")
