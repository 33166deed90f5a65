"""Reset a forgotten password by a mailed link. The answer is the same whether or not the account exists."""

from __future__ import annotations

import logging

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import SetPasswordMixin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods
from kombu.exceptions import OperationalError
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from apps.tenants.attempts import letter_asked
from apps.tenants.client_address import address_of
from apps.tenants.entry.session import entry_page, forget_secret, secret_of
from apps.tenants.errors import LinkEndedError, TooManyLettersError
from apps.tenants.models import LinkPurpose, User
from apps.tenants.services.account_links import account_of, link_of, password_set_by_link
from apps.tenants.tasks import password_link_ask

logger = logging.getLogger("glassbox.tenants")

_PAGE = "password_set"


class AskForm(forms.Form):
    username = forms.CharField(
        label="Sign-in name",
        max_length=150,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "username", "autofocus": True}),
    )


class NewPasswordForm(SetPasswordMixin, forms.Form):  # type: ignore[type-arg]
    password1, password2 = SetPasswordMixin.create_password_fields()

    def __init__(self, *args: object, user: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self._user = user
        for name in ("password1", "password2"):
            self.fields[name].widget = UnfoldAdminPasswordWidget(attrs={"autocomplete": "new-password"})

    def clean(self) -> dict[str, object]:
        self.validate_passwords()
        self.validate_password_for_user(self._user)
        return super().clean() or self.cleaned_data


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def ask_view(request: HttpRequest) -> HttpResponse:
    form = AskForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        name = form.cleaned_data["username"]
        try:
            if letter_asked(username=name, address=address_of(request)):
                # A worker looks the account up and sends the letter, so that the time of this answer does not reveal
                # whether the account exists.
                password_link_ask.delay(name)
        except TooManyLettersError as error:
            response = entry_page(
                request, "entry/ended.html", title="Wait a little", detail=error.detail, status=error.status
            )
            response["Retry-After"] = str(error.retry_after_seconds)
            return response
        except OperationalError:
            logger.exception("the link for a new password was not queued: the broker can't be reached")
            sorry = "Nothing can be sent at the moment. Try again in a few minutes."
            response = entry_page(request, "entry/ended.html", title="Not now", detail=sorry, status=503)
            response["Retry-After"] = "60"
            return response
        return entry_page(request, "entry/password_asked.html", title="Check your mailbox")
    return entry_page(request, "entry/password_ask.html", title="Set a new password", form=form)


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def set_view(request: HttpRequest) -> HttpResponse:
    secret = secret_of(request, _PAGE)
    try:
        user = account_of(link_of(secret, LinkPurpose.PASSWORD))
        form = NewPasswordForm(request.POST or None, user=user)
        if request.method == "POST" and form.is_valid():
            password_set_by_link(secret=secret, password=form.cleaned_data["password1"])
            forget_secret(request, _PAGE)
            messages.success(request, "The password is set. Sign in with it.")
            return HttpResponseRedirect(reverse("admin:login"))
    except LinkEndedError as error:
        return entry_page(
            request, "entry/ended.html", title="This link does not work", detail=error.detail, status=error.status
        )
    return entry_page(
        request, "entry/password_set.html", title="Set a new password", form=form, username=user.get_username()
    )
