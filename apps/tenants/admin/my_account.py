"""My account: one's own address, which changes by a link that goes to the new mailbox."""

from __future__ import annotations

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from unfold.widgets import UnfoldAdminEmailInputWidget

from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin
from apps.tenants.admin.pages import page
from apps.tenants.admin.second_factor import PasswordForm, knows_password, person_of
from apps.tenants.attempts import letter_asked
from apps.tenants.client_address import address_of
from apps.tenants.models import User
from apps.tenants.selectors.people import mailbox_confirmed_at
from apps.tenants.services.account_links import mailbox_link_send


class MailboxForm(PasswordForm):
    email = forms.EmailField(label="E-mail", max_length=254, widget=UnfoldAdminEmailInputWidget)
    field_order = ("email", "password")


class MyAccountPages(TenantModelAdmin):
    """What the shared pages ask of a model's admin. Not registered: User has its own, the platform's."""

    title_plural = "My account"

    def _url_name(self, name: str) -> str:
        return "my_account"


_pages = MyAccountPages(User, admin.site)


def account_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    form = MailboxForm(request.POST or None, initial={"email": user.email})
    form.fields["password"].help_text = "So that nobody can enter their own mailbox while you are away."
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            if knows_password(request, user, form.cleaned_data["password"]):
                letter_asked(username=user.get_username(), address=address_of(request))
                mailbox_link_send(user, email=form.cleaned_data["email"])
                messages.success(
                    request,
                    (
                        f"A link is on its way to {form.cleaned_data['email']}. Your address changes once you open "
                        "the link."
                    ),
                )
                return HttpResponseRedirect(_pages.url("changelist"))
            form.add_error("password", "This is not your password.")
        except ApplicationError as error:
            refusal = error.detail
    return page(
        _pages,
        request,
        "glassbox/my_account.html",
        title="My account",
        crumbs=(),
        account=user,
        confirmed_at=mailbox_confirmed_at(user),
        form=form,
        refusal=refusal,
    )
