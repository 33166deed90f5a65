"""Taking a request in, and putting down anew what is known of whom it is about."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.crypto import salted_hmac
from django.views.decorators.http import require_http_methods

from apps.errors import ApplicationError
from apps.privacy.admin.requests.forms import FORMS, WhoAsksForm, received_at_field
from apps.privacy.codes.requests import Language, Purpose, Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import known_details
from apps.privacy.requests.errors import RequestError
from apps.privacy.requests.selectors import erasure_request
from apps.privacy.requests.services.receiving import request_describe, request_receive
from apps.tenants.admin.base import add_error, require
from apps.tenants.roles import Permission

_CHOICES = (
    (SubjectType.DATA_SUBJECT, "Somebody who is named or described in documents, and asks to be forgotten."),
    (SubjectType.USER, "Somebody who signs in here: their account in this tenant and its traces."),
    (SubjectType.DOCUMENT, "One document, with everything made from it."),
    (SubjectType.SCOPE, "A fund or mandate that has ended: every document in the scope, and the scope itself."),
    (SubjectType.TENANT, "The end of a contract: everything this tenant has here."),
)
_FIELDS = {
    "audit.request_subject_undescribed": "names",
    "audit.request_subject_unknown": "subject_id",
    "audit.request_receipt_in_future": "received_at",
}


@require_http_methods(["GET", "HEAD", "POST"])
def receive_view(request: HttpRequest) -> HttpResponse:
    """First what it is about; then who asks, when it came, and how the person is found."""
    require(request, Permission.PRIVACY_MANAGE)
    asked = request.GET.get("subject", "")
    purpose = Purpose.ACCESS if request.GET.get("purpose") == Purpose.ACCESS else Purpose.ERASURE
    if asked not in SubjectType.values or (purpose is Purpose.ACCESS and asked != SubjectType.DATA_SUBJECT):
        choices = [(each.value, each.label, words) for each, words in _CHOICES]
        return _page(request, "glassbox/request_choose.html", title="Take in a request", choices=choices)
    type = SubjectType(asked)
    form = FORMS[type](request.POST or None)
    form.fields["received_at"] = received_at_field()
    form.order_fields(["received_at", *form.field_order] if form.field_order else ["received_at"])
    if request.method == "POST" and form.is_valid():
        try:
            made = _received(purpose, type, form)
        except ApplicationError as error:
            add_error(form, error, _FIELDS.get(error.code))
        else:
            messages.success(request, f"{made.reference} is registered. Its answer is due on {made.due_on:%d %b %Y}.")
            return HttpResponseRedirect(reverse("admin:erasure_request", args=[made.id]))
    return _page(
        request,
        "glassbox/request_receive.html",
        title=f"Take in a request for {purpose.label.lower()}: {type.label[0].lower()}{type.label[1:]}",
        form=form,
        intro="The request must be answered within one calendar month of its receipt. Taking it in erases and "
        "discloses nothing. Everything that describes a person is sealed under a key that belongs only to this "
        "request.",
        action="Take the request in",
        back=reverse("admin:erasure_request_receive"),
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def describe_view(request: HttpRequest, request_id: UUID) -> HttpResponse:
    """The facts of a request, changed as more is learnt."""
    require(request, Permission.PRIVACY_MANAGE)
    found = erasure_request(request_id)
    known = known_details(found)
    form = FORMS[SubjectType(found.subject_type)](
        request.POST or None,
        initial={**asdict(known), "requester": found.requester, "language": found.language},
    )
    # What the request is about, who asks and in which language stay as they were taken in.
    for name in ("subject_id", "requester", "language"):
        form.fields.pop(name, None)
    seen = salted_hmac("glassbox.request", bytes(found.details)).hexdigest()
    if request.method == "POST" and form.is_valid():
        try:
            if request.POST.get("seen") != seen:
                raise RequestError("audit.request_changed", reference=found.reference)
            kept = {name: value for name, value in asdict(known).items() if name not in form.fields}
            details = type(known)(**{**kept, **{name: form.cleaned_data[name] for name in form.fields}})
            request_describe(found.id, details=details, seen=bytes(found.details))
        except ApplicationError as error:
            add_error(form, error, _FIELDS.get(error.code))
        else:
            messages.success(request, f"The facts of {found.reference} are saved.")
            return HttpResponseRedirect(reverse("admin:erasure_request", args=[found.id]))
    return _page(
        request,
        "glassbox/request_receive.html",
        title=f"{found.reference}: what is known",
        form=form,
        seen=seen,
        intro="These entries replace the previous ones. The log records that they were changed, by whom and when, "
        "but not what was changed.",
        action="Save these facts",
        back=reverse("admin:erasure_request", args=[found.id]),
        status=422 if form.errors else 200,
    )


def _received(purpose: Purpose, type: SubjectType, form: WhoAsksForm) -> ErasureRequest:
    said = form.cleaned_data
    subject = said.get("subject_id")
    return request_receive(
        purpose=purpose,
        subject_type=type,
        subject_id=UUID(str(subject)) if subject else None,
        requester=Requester(said["requester"]),
        language=Language(said["language"]),
        received_at=said["received_at"],
        details=form.details(),
    )


def _page(request: HttpRequest, template: str, *, title: str, status: int = 200, **context: object) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    whole = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Access and erasure requests", reverse("admin:erasure_requests")), (title, "")],
        **context,
    }
    return TemplateResponse(request, template, whole, status=status, headers={"Cache-Control": "no-store"})
