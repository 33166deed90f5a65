"""Confirm a mailbox: the person who reads the mailed link makes it the account's e-mail address."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.csrf import csrf_protect
from django.views.decorators.http import require_http_methods

from apps.tenants.entry.session import entry_page, forget_secret, secret_of
from apps.tenants.errors import LinkEndedError
from apps.tenants.models import LinkPurpose
from apps.tenants.services.account_links import account_of, link_of, mailbox_confirm

_PAGE = "mailbox"


@csrf_protect
@require_http_methods(["GET", "HEAD", "POST"])
def confirm_view(request: HttpRequest) -> HttpResponse:
    secret = secret_of(request, _PAGE)
    try:
        link = link_of(secret, LinkPurpose.EMAIL)
        user = account_of(link)
        if request.method == "POST":
            mailbox_confirm(secret=secret)
            forget_secret(request, _PAGE)
            messages.success(request, f"{link.email} is confirmed as your address.")
            return HttpResponseRedirect(reverse("admin:index"))
    except LinkEndedError as error:
        return entry_page(
            request, "entry/ended.html", title="This link does not work", detail=error.detail, status=error.status
        )
    return entry_page(
        request, "entry/mailbox.html", title="Confirm your address", email=link.email, username=user.get_username()
    )
