"""Accept an invitation, with the account that is signed in or with a new account."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import SetPasswordMixin
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from apps.errors import ApplicationError
from apps.tenants.entry.session import entry_page, forget_secret, secret_of
from apps.tenants.errors import InvitationEndedError
from apps.tenants.middleware import SESSION_TENANT
from apps.tenants.models import User
from apps.tenants.roles import approvals
from apps.tenants.selectors.invitations import OpenInvitation, invitation_of_link
from apps.tenants.services.invitations import invitation_accept, invited_account_create

_PAGE = "invitation"


class NewAccountForm(SetPasswordMixin, forms.Form):  # type: ignore[type-arg]
    first_name = forms.CharField(max_length=150, widget=UnfoldAdminTextInputWidget)
    last_name = forms.CharField(max_length=150, widget=UnfoldAdminTextInputWidget)
    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, *args: object, email: str, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._email = email
        for name in ("password1", "password2"):
            self.fields[name].widget = UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"})

    def clean(self) -> dict[str, object]:
        self.validate_passwords()
        typed = self.cleaned_data
        named = User(
            username=self._email,
            email=self._email,
            first_name=typed.get("first_name", ""),
            last_name=typed.get("last_name", ""),
        )
        self.validate_password_for_user(named)
        return super().clean() or typed


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def invitation_view(request: HttpRequest) -> HttpResponse:
    secret = secret_of(request, _PAGE)
    found = invitation_of_link(secret) if secret else None
    if found is None:
        return entry_page(
            request,
            "entry/ended.html",
            title="This invitation does not work",
            detail=InvitationEndedError().detail,
            status=InvitationEndedError.status,
        )
    account = request.user if isinstance(request.user, User) else None
    is_new = request.method == "POST" and account is None
    form = NewAccountForm(request.POST if is_new else None, email=found.invitation.email)
    refusal = ""
    if request.method == "POST" and (account is not None or form.is_valid()):
        try:
            return _accepted(request, secret, found, account, form)
        except ApplicationError as error:
            refusal = error.detail
    return entry_page(
        request,
        "entry/invitation.html",
        title=f"Invitation to {found.tenant.name}",
        tenant=found.tenant,
        role=found.role.label,
        email=found.invitation.email,
        approves=bool(approvals(found.role)) and found.invitation.created_by_id is not None,
        expires_at=found.invitation.expires_at,
        account=account,
        form=form,
        refusal=refusal,
        sign_in=f"{reverse('admin:login')}?next={reverse(_PAGE)}",
    )


def _accepted(
    request: HttpRequest, secret: str, found: OpenInvitation, account: User | None, form: NewAccountForm
) -> HttpResponse:
    """Make the account if there is none, and accept the invitation, in one transaction.

    If the invitation can't be accepted, no new account is left behind.
    """
    with transaction.atomic():
        user = account
        if user is None:
            typed = form.cleaned_data
            user = invited_account_create(
                secret=secret,
                first_name=typed["first_name"],
                last_name=typed["last_name"],
                password=typed["password1"],
            )
        membership = invitation_accept(secret=secret, user=user)
    if account is None:
        login(request, user)
    forget_secret(request, _PAGE)
    if membership.awaits_confirmation:
        return entry_page(
            request,
            "entry/waiting.html",
            title="Accepted: a second person must confirm",
            tenant=found.tenant,
            role=found.role.label,
            username=user.get_username(),
        )
    request.session[SESSION_TENANT] = str(found.tenant.id)
    messages.success(request, f"You are {found.role.label} of {found.tenant.name}.")
    return HttpResponseRedirect(reverse("admin:index"))
