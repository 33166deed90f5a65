"""Second factor: setting one's own up, and entering a code before a decision."""

from __future__ import annotations

from urllib.parse import urlencode

import segno
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import mark_safe
from unfold.widgets import UnfoldAdminPasswordWidget, UnfoldAdminTextInputWidget

from apps.errors import ApplicationError
from apps.tenants.admin.base import TenantModelAdmin
from apps.tenants.admin.pages import Decision, decision_page, page
from apps.tenants.attempts import attempt_begin, attempt_failed, attempt_succeeded
from apps.tenants.client_address import address_of
from apps.tenants.errors import NoScopeError
from apps.tenants.models import SecondFactor, User
from apps.tenants.requests import principal_of
from apps.tenants.second_factor.codes import (
    enrolment_of,
    factor_begin,
    factor_confirm,
    factor_remove,
    factor_use,
    has_factor,
    recovery_codes_left,
    recovery_codes_renew,
)
from apps.tenants.second_factor.fresh import is_fresh, note_used
from apps.tenants.sessions import record_locked_out


class PasswordForm(forms.Form):
    password = forms.CharField(
        label="Your password",
        strip=False,
        widget=UnfoldAdminPasswordWidget(attrs={"autocomplete": "current-password"}),
        help_text="So that nobody can set up their own device while you are away.",
    )


class CodeForm(forms.Form):
    code = forms.CharField(
        label="Code",
        max_length=40,
        widget=UnfoldAdminTextInputWidget(
            attrs={"autocomplete": "one-time-code", "inputmode": "text", "autofocus": True}
        ),
        help_text="Six digits from your authenticator app.",
    )


class SecondFactorPages(TenantModelAdmin):
    """What the shared pages ask of a model's admin. Not registered: nobody lists or edits these rows."""

    title_plural = "Second factor"

    def _url_name(self, name: str) -> str:
        return "second_factor" if name == "changelist" else f"second_factor_{name}"


_pages = SecondFactorPages(SecondFactor, admin.site)


def step_up_redirect(request: HttpRequest) -> HttpResponse:
    """To the page that asks for a code, and back to this one from there; to setting one up where there is none."""
    return HttpResponseRedirect(f"{_pages.url('code')}?{urlencode({'next': request.get_full_path()})}")


def overview_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    form = PasswordForm(request.POST or None)
    refusal = ""
    if request.method == "POST" and form.is_valid() and not has_factor(user):
        try:
            if knows_password(request, user, form.cleaned_data["password"]):
                factor_begin(user)
                return HttpResponseRedirect(f"{_pages.url('enrol')}?{urlencode({'next': _next(request)})}")
            form.add_error("password", "This is not your password.")
        except ApplicationError as error:
            refusal = error.detail
    is_set = has_factor(user)
    return page(
        _pages,
        request,
        "glassbox/second_factor.html",
        title="Second factor",
        crumbs=(),
        form=form,
        refusal=refusal,
        is_set=is_set,
        codes_left=recovery_codes_left(user) if is_set else 0,
        is_required=settings.GLASSBOX_REQUIRE_SECOND_FACTOR,
    )


def enrol_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    enrolment = enrolment_of(user)
    if enrolment is None:
        return HttpResponseRedirect(_pages.url("changelist"))
    form = CodeForm(request.POST or None)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            codes = factor_confirm(user, code=form.cleaned_data["code"])
        except ApplicationError as error:
            refusal = error.detail
        else:
            note_used(request, user)
            return _codes_page(request, codes)
    # The library's own markup, of a text that is all percent-encoded.
    qr = mark_safe(segno.make(enrolment.address, micro=False).svg_inline(scale=4, border=2, light="#fff"))  # noqa: S308
    response = page(
        _pages,
        request,
        "glassbox/second_factor_enrol.html",
        title="Set up your second factor",
        crumbs=["Set up"],
        enrolment=enrolment,
        qr=qr,
        form=form,
        refusal=refusal,
    )
    response["Cache-Control"] = "no-store"
    return response


def code_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    way_back = _next(request)
    if not has_factor(user):
        messages.info(request, "Decisions require a second factor. Set yours up first.")
        onward = f"?{urlencode({'next': way_back})}" if way_back else ""
        return HttpResponseRedirect(f"{_pages.url('changelist')}{onward}")
    form = CodeForm(request.POST or None)
    refusal = ""
    if request.method == "POST" and form.is_valid():
        try:
            factor_use(user, code=form.cleaned_data["code"])
        except ApplicationError as error:
            refusal = error.detail
        else:
            note_used(request, user)
            return HttpResponseRedirect(way_back or _pages.url("changelist"))
    return page(
        _pages,
        request,
        "glassbox/second_factor_code.html",
        title="Enter a code",
        crumbs=["Enter a code"],
        form=form,
        refusal=refusal,
        next=way_back,
        back=_pages.url("changelist"),
        minutes=settings.GLASSBOX_SECOND_FACTOR_SECONDS // 60,
    )


def codes_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    if not is_fresh(request, user):
        return step_up_redirect(request)
    return decision_page(
        _pages,
        request,
        Decision(
            question="Make new recovery codes?",
            effects=["Your saved codes stop working. You see ten new ones, only once."],
            action="Make new codes",
            dangerous=False,
        ),
        lambda: _codes_page(request, recovery_codes_renew(user)),
        crumbs=["New recovery codes"],
        back=_pages.url("changelist"),
    )


def remove_view(request: HttpRequest) -> HttpResponse:
    user = person_of(request)
    if not is_fresh(request, user):
        return step_up_redirect(request)

    def act() -> HttpResponse:
        factor_remove(user)
        messages.success(request, "Your second factor is removed. Set up another one before you decide on anything.")
        return HttpResponseRedirect(_pages.url("changelist"))

    return decision_page(
        _pages,
        request,
        Decision(
            question="Remove your second factor?",
            effects=["Codes of this device and its recovery codes stop working.", "You may set up another device."],
            action="Take it away",
        ),
        act,
        crumbs=["Take it away"],
        back=_pages.url("changelist"),
    )


def _codes_page(request: HttpRequest, codes: tuple[str, ...]) -> HttpResponse:
    response = page(
        _pages,
        request,
        "glassbox/recovery_codes.html",
        title="Recovery codes",
        crumbs=["Recovery codes"],
        codes=codes,
        next=_next(request) or _pages.url("changelist"),
    )
    response["Cache-Control"] = "no-store"
    return response


def person_of(request: HttpRequest) -> User:
    principal = principal_of(request)
    if not isinstance(request.user, User) or not principal.is_signed_in:
        raise NoScopeError
    return request.user


def knows_password(request: HttpRequest, user: User, password: str) -> bool:
    """Counted as a sign-in is: whoever holds somebody's session can't guess here either."""
    attempt = attempt_begin(username=user.get_username(), address=address_of(request))
    if user.check_password(password):
        attempt_succeeded(attempt)
        return True
    record_locked_out(user.get_username(), attempt_failed(attempt))
    return False


def _next(request: HttpRequest) -> str:
    """Where to go on: an address of this installation, or nothing."""
    wanted = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if is_ours else ""
