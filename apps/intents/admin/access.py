"""Who could reach what, when: the auditor's page."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from django import forms
from django.contrib import admin
from django.core.validators import RegexValidator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from unfold.widgets import INPUT_CLASSES, UnfoldAdminTextInputWidget

from apps.intents.access import AccessAnswer, Verdict, access_ask, access_json
from apps.intents.access.contracts import Candidate
from apps.intents.access.facts import KEY_MARK
from apps.intents.access.reach import UNRECOGNISED_NAME
from apps.intents.errors import AmbiguousNameError, NoPolicyInForceError
from apps.intents.models import VersionOrigin
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force
from apps.tenants.admin.base import may, require
from apps.tenants.display import pill
from apps.tenants.models import ApiKey, Membership, User
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission

# More would make the page heavy; what is not suggested can still be typed.
_SUGGESTED = 500
KEY_PREFIX = re.compile(rf"{KEY_MARK}([0-9a-zA-Z]{{12}})")
_INTENT = RegexValidator(r"^[a-z][a-z0-9_]{0,39}$", "Enter the intent's short name, such as performance.")
_VERDICTS = {
    Verdict.COULD_REACH: ("Could reach", "good"),
    Verdict.IN_THE_FUTURE: ("In the future", "warn"),
    Verdict.BEFORE_THE_TENANT: ("Before the tenant", "warn"),
    Verdict.NOT_KNOWN: ("Not known here", "warn"),
    Verdict.NOT_VALID: ("No valid right then: nothing", "quiet"),
    Verdict.NO_POLICY: ("No policy then: nothing", "quiet"),
    Verdict.MAY_NOT_ASK: ("No questions allowed: nothing", "quiet"),
    Verdict.NO_SCOPE: ("No scope: nothing", "quiet"),
    Verdict.UNKNOWN_INTENT: ("No such intent then", "warn"),
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Choice:
    """A member or key that the typed name may mean, and the address of the same question about them."""

    candidate: Candidate
    url: str


class AccessForm(forms.Form):
    who = forms.CharField(
        label="Person or API key",
        required=False,
        max_length=254,
        widget=UnfoldAdminTextInputWidget(attrs={"list": "access-subjects", "autocomplete": "off"}),
        help_text=(
            "A user name, a full name, a part of a name, initials or an e-mail address; or a key's name, or gbx_ and "
            "its 12 characters. Past members and ended keys are found too. Empty means yourself."
        ),
    )
    date = forms.DateTimeField(
        label="Date and time, in UTC",
        required=False,
        # The browser's own field for a date with a time; Unfold's two fields need a script and name no zone.
        widget=forms.DateTimeInput(
            format="%Y-%m-%dT%H:%M:%S",
            attrs={"type": "datetime-local", "step": "1", "class": " ".join(INPUT_CLASSES)},
        ),
        help_text="Empty: now.",
    )
    intent = forms.CharField(
        required=False,
        validators=[_INTENT],
        widget=UnfoldAdminTextInputWidget(attrs={"list": "access-intents", "autocomplete": "off"}),
        help_text="An intent's short name, or unrecognised. Empty means every intent of the policy on that date.",
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, about_others: bool) -> None:
        super().__init__(data, initial={"date": timezone.now().astimezone(UTC)})
        if not about_others:
            del self.fields["who"]

    def clean_who(self) -> str:
        who: str = self.cleaned_data["who"].strip()
        if who.startswith(KEY_MARK) and len(who) > len(KEY_MARK) + 12 and "_" in who[len(KEY_MARK) :]:
            raise forms.ValidationError("Enter the key's prefix, gbx_ and 12 characters; never the whole key.")
        return who

    @property
    def question(self) -> dict[str, Any]:
        who = self.cleaned_data.get("who", "")
        key = KEY_PREFIX.fullmatch(who)
        subject = {"key": key[1]} if key else {"user": who}
        return {**subject, "at": self.cleaned_data["date"], "intent": self.cleaned_data["intent"]}


@require_safe
def access_view(request: HttpRequest) -> HttpResponse:
    """The form; with a question in the address, the answer below it: a page that can be linked to and asked again."""
    require(request, Permission.POLICY_VIEW)
    about_others = may(request, Permission.AUDIT_VIEW)
    form = AccessForm(request.GET if "date" in request.GET else None, about_others=about_others)
    asked = _asked(request, form.question) if form.is_bound and form.is_valid() else {}
    title = "Who could reach what"
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "form": form,
        "about_others": about_others,
        "subjects": _subjects() if about_others else (),
        "intents": _intents(),
        **asked,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        "glassbox/policy_access.html",
        context,
        status=422 if form.errors else 200,
        headers={"Cache-Control": "no-store"},
    )


def _asked(request: HttpRequest, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        answer = access_ask(**question)
    except AmbiguousNameError as error:
        return {"choices": _choices(request, error.data["candidates"]), "more": error.data["more"]}
    if answer.verdict is Verdict.NOT_KNOWN:
        return {
            "unknown": answer,
            "verdict": pill(*_VERDICTS[answer.verdict]),
            "suggestions": _choices(request, answer.suggestions),
        }
    is_other_name = question.get("user", answer.subject.name) not in ("", answer.subject.name)
    is_key = answer.subject.kind is PrincipalKind.API_KEY
    return {**_answer_context(answer), "names_subject": is_other_name, "is_key": is_key}


def _choices(request: HttpRequest, candidates: Iterable[Candidate]) -> list[Choice]:
    """Return the members, each with the same question about them."""
    query = request.GET.copy()
    found = []
    for candidate in candidates:
        query["who"] = candidate.name
        found.append(Choice(candidate, f"{request.path}?{query.urlencode()}"))
    return found


def _answer_context(answer: AccessAnswer) -> dict[str, Any]:
    rendered = json.dumps(access_json(answer), ensure_ascii=False, indent=2)
    policy = answer.policy
    return {
        "answer": answer,
        "verdict": pill(*_VERDICTS[answer.verdict]),
        "rows": [(each, [kind in each.kinds for kind in answer.kind_order]) for each in answer.intents],
        "json": rendered,
        "filename": f"access-{answer.subject.name}-{answer.at.astimezone(UTC):%Y%m%dT%H%M%SZ}.json",
        "policy_url": reverse("admin:intents_policyversion_change", args=[policy.version_id]) if policy else "",
        "approver": (policy.approver_label or _nobody(policy.origin)) if policy else "",
        "content_sha256": policy_sha256(policy) if policy else "",
    }


def _nobody(origin: str) -> str:
    return "nobody: the shipped baseline needs no approval" if origin == VersionOrigin.BASELINE else "nobody"


def _subjects() -> list[Suggestion]:
    """People of this tenant, past and present, and its keys."""
    ids = Membership.objects.filter(confirmed_at__isnull=False).values_list("user_id", flat=True)
    people = User.objects.filter(id__in=ids).order_by("username")[:_SUGGESTED]
    keys = ApiKey.objects.select_related("person").order_by("name", "created_at")[:_SUGGESTED]
    return [
        *(Suggestion(person.username, str(person)) for person in people),
        *(Suggestion(f"{KEY_MARK}{key.prefix}", _key_label(key)) for key in keys),
    ]


def _key_label(key: ApiKey) -> str:
    return f"API key {key.name}" + (f" of {key.person}" if key.person else "")


def _intents() -> list[Suggestion]:
    """Those of today; an intent of the past can be typed."""
    try:
        policy = policy_in_force()
    except NoPolicyInForceError:
        return []
    return [
        *(Suggestion(rule.name, rule.label) for rule in policy.intents),
        Suggestion(UNRECOGNISED_NAME, policy.fallback.label),
    ]
