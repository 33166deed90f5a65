"""The access centre: who could reach what, for everybody or narrowed, on a page, as a report to print and as CSV."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe
from unfold.widgets import INPUT_CLASSES, UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.intents.access.register.asking import Asked, Form, Register, register_ask
from apps.intents.access.register.contracts import Mode
from apps.intents.access.register.csv_file import register_csv
from apps.intents.access.register.lines import changed_lines, lines
from apps.intents.access.register.words import notes, summary
from apps.intents.admin.access import KEY_PREFIX
from apps.intents.errors import (
    AmbiguousDocumentError,
    AmbiguousNameError,
    NameNotKnownError,
    NoPolicyInForceError,
    RegisterQuestionError,
)
from apps.intents.selectors import policy_in_force
from apps.tenants.admin.base import require
from apps.tenants.models import Scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission, Role

SHOWN: Final = 100
_MODES: Final = (
    (Mode.AT.value, "At one moment"),
    (Mode.RANGE.value, "Over a range of time"),
    (Mode.CHANGES.value, "What differs between two moments"),
)
# The field of the form for each field of a question, where the names differ.
_FIELDS: Final = {"since": "since", "until": "until", "kind": "kind", "scope": "scope", "document": "document"}


def _moment(label: str, help_text: str) -> forms.DateTimeField:
    return forms.DateTimeField(
        label=label,
        required=False,
        widget=forms.DateTimeInput(
            format="%Y-%m-%dT%H:%M:%S",
            attrs={"type": "datetime-local", "step": "1", "class": " ".join(INPUT_CLASSES)},
        ),
        help_text=help_text,
    )


class CentreForm(forms.Form):
    mode = forms.ChoiceField(label="When", choices=_MODES, widget=UnfoldAdminSelectWidget)
    since = _moment("Moment, or beginning, in UTC", "Empty: now.")
    until = _moment("End, or later moment, in UTC", "For a range and for a comparison alone.")
    who = forms.CharField(
        label="Person or API key",
        required=False,
        max_length=254,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text="As people write the name, or gbx_ and a key's 12 characters. Empty: everybody.",
    )
    role = forms.ChoiceField(
        required=False, choices=[("", "Every role"), *Role.choices], widget=UnfoldAdminSelectWidget
    )
    scope = forms.ChoiceField(required=False, widget=UnfoldAdminSelectWidget)
    kind = forms.CharField(
        label="Kind of document",
        required=False,
        max_length=80,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "centre-kinds", "autocomplete": "off"}),
        help_text="Its name, or its key. Empty: every kind.",
    )
    document = forms.CharField(
        label="Document",
        required=False,
        max_length=300,
        widget=UnfoldAdminTextInputWidget(attrs={"autocomplete": "off"}),
        help_text="A title, a part of it, or an id; of a removed document, its id. Empty: every document.",
    )

    def __init__(self, data: Mapping[str, Any] | None = None) -> None:
        super().__init__(data, initial={"mode": Mode.AT.value, "since": timezone.now().astimezone(UTC)})
        scopes = [(key, f"{name} ({key})") for key, name in Scope.objects.order_by("key").values_list("key", "name")]
        self.fields["scope"].choices = [("", "Every scope that you may see"), *scopes]  # type: ignore[attr-defined]

    def clean_who(self) -> str:
        who: str = self.cleaned_data["who"].strip()
        if who.startswith("gbx_") and "_" in who[4:]:
            raise forms.ValidationError("Enter the key's prefix, gbx_ and 12 characters; never the whole key.")
        return who

    @property
    def asked(self) -> Asked:
        said = self.cleaned_data
        key = KEY_PREFIX.fullmatch(said["who"])
        return Asked(
            mode=Mode(said["mode"]),
            since=said["since"],
            until=said["until"],
            user="" if key else said["who"],
            key=key[1] if key else "",
            role=Role(said["role"]) if said["role"] else None,
            scope=said["scope"],
            kind=said["kind"].strip(),
            document=said["document"],
        )


@require_safe
def centre_view(request: HttpRequest) -> HttpResponse:
    """The form; with a question in the address, the answer below it."""
    require(request, Permission.AUDIT_VIEW)
    form = CentreForm(request.GET if "mode" in request.GET else None)
    register, found = _answer(form, request, Form.PAGE) if form.is_bound else (None, {})
    title = "Access centre"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "form": form,
        "kinds": _kinds(),
        "query": _fixed(request, register),
        **found,
        **(_shown(register, limit=SHOWN) if register else {}),
    }
    request.__dict__["current_app"] = admin.site.name
    status = 422 if form.errors else 200
    return TemplateResponse(
        request, "glassbox/access_centre.html", context, status=status, headers={"Cache-Control": "no-store"}
    )


@require_safe
def report_view(request: HttpRequest) -> HttpResponse:
    """The whole answer on a page of its own, to be printed."""
    require(request, Permission.AUDIT_VIEW)
    form = CentreForm(request.GET)
    register, _ = _answer(form, request, Form.PRINT)
    if register is None:
        return centre_view(request)
    title = "Report: who could reach what"
    back = f"{reverse('admin:access_centre')}?{_fixed(request, register)}"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Access centre", back), (title, "")],
        "back": back,
        "asked_by": request.user,
        "whole": True,
        **_shown(register, limit=register.rows),
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/access_report.html", context, headers={"Cache-Control": "no-store"})


@require_POST
def csv_view(request: HttpRequest) -> HttpResponse | StreamingHttpResponse:
    """The whole answer as CSV, in parts. The question stands in the address, as on the page."""
    require(request, Permission.AUDIT_VIEW)
    form = CentreForm(request.GET)
    register, _ = _answer(form, request, Form.CSV)
    if register is None:
        return HttpResponse("This question has no answer. Ask it on the page of the access centre.", status=422)
    response = StreamingHttpResponse(register_csv(register), content_type="text/csv; charset=utf-8")
    name = f"access-{register.history.tenant.slug}-{register.question.since.astimezone(UTC):%Y%m%dT%H%M%SZ}.csv"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response


def _answer(form: CentreForm, request: HttpRequest, handed: Form) -> tuple[Register | None, dict[str, Any]]:
    """Return the answer; or none, and what the page shows in its place: errors beside their fields, or candidates."""
    if not form.is_valid():
        return None, {}
    try:
        return register_ask(form.asked, form=handed), {}
    except RegisterQuestionError as error:
        form.add_error(_FIELDS.get(error.data["field"]), error.detail)
        return None, {}
    except AmbiguousNameError as error:
        people = [(each, _with(request, who=each.name)) for each in error.data["candidates"]]
        return None, {"people": people, "more": error.data["more"]}
    except NameNotKnownError as error:
        return None, {"unknown": True, "nearest": [(e, _with(request, who=e.name)) for e in error.data["candidates"]]}
    except AmbiguousDocumentError as error:
        documents = [(each, _with(request, document=str(each.id))) for each in error.data["documents"]]
        return None, {"documents": documents, "more": error.data["more"]}


def _with(request: HttpRequest, **changed: str) -> str:
    query = request.GET.copy()
    for name, value in changed.items():
        query[name] = value
    return f"{reverse('admin:access_centre')}?{query.urlencode()}"


def _fixed(request: HttpRequest, register: Register | None) -> str:
    """Return the question as an address asks it: of the same moment, although "now" has gone on, and of one person."""
    if register is None:
        return ""
    question, subject = register.question, register.subject
    said = {
        **{name: request.GET.get(name, "") for name in ("mode", "role", "scope")},
        "kind": question.filters.kind,
        "since": question.since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f"),
        "until": question.until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f") if question.until else "",
        "who": subject.name if subject else "",
        "document": str(register.document.id) if register.document else "",
    }
    return urlencode(said)


def _shown(register: Register, *, limit: int) -> dict[str, Any]:
    changed = list(changed_lines(register))
    alone = [each for each in changed if each.is_by_policy_alone]
    apart = [each for each in changed if not each.is_by_policy_alone]
    total = len(apart) if register.question.mode is Mode.CHANGES else len(register.spans)
    return {
        "register": register,
        "sentence": summary(register),
        "notes": notes(register),
        "is_change": register.question.mode is Mode.CHANGES,
        "is_range": register.question.mode is Mode.RANGE,
        "lines": list(lines(register, register.spans[:limit])),
        "changed": apart[:limit],
        "by_policy_alone": len(alone),
        "total": total,
        "hidden_lines": max(0, total - limit),
        "document_scope": register.history.names.get(register.document.scope_id) if register.document else None,
        "has_keys": any(each.subject.kind is PrincipalKind.API_KEY for each in register.spans),
        "labels": {rule.name: rule.label for version in register.versions for rule in version.reaches},
    }


def _kinds() -> list[tuple[str, str]]:
    try:
        return [(kind.value, kind.label) for kind in policy_in_force().kinds]
    except NoPolicyInForceError:
        return []
