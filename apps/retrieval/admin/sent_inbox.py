"""The officers' inbox: questions without an answer that somebody sent them, and the decision on each."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.paginator import Paginator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminTextareaWidget

from apps.corpus.registry import kind_names, name_of
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.selectors import policy_in_force
from apps.retrieval.admin.ask_send import sent_shown
from apps.retrieval.admin.recent import REFUSALS
from apps.retrieval.errors import SendingError
from apps.retrieval.models import SentQuestion, SentState
from apps.retrieval.selectors.sent_questions import sent_to_officers
from apps.retrieval.sent.flow import SENT_QUESTIONS
from apps.retrieval.sent.services import LONGEST_REPLY, question_decide
from apps.tenants.admin.base import add_error, require
from apps.tenants.flows.checks import steps_offered
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_PER_PAGE: Final = 25
_TITLE: Final = "Sent to officers"
_ERROR_FIELDS: Final = {
    "retrieval.sent_reply_missing": "reply",
    "retrieval.sent_reply_too_long": "reply",
    "retrieval.sent_no_example": "decision",
}


class DecideForm(forms.Form):
    """Args: decisions: what the officer may decide now, with the words of each."""

    decision = forms.ChoiceField(
        label="What becomes of it",
        widget=UnfoldAdminRadioSelectWidget,
        error_messages={"required": "Choose what becomes of the question."},
    )
    reply = forms.CharField(
        label="What you tell the person",
        required=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 4, "maxlength": LONGEST_REPLY}),
        help_text="They read it on the page of their question. An answer needs it; with the other decisions it is a "
        "word of explanation.",
    )

    def __init__(self, data: Any = None, *, decisions: list[tuple[str, str]]) -> None:
        super().__init__(data)
        field = self.fields["decision"]
        if isinstance(field, forms.ChoiceField):
            field.choices = decisions


@require_safe
def inbox_view(request: HttpRequest) -> HttpResponse:
    """Those that wait first. Whoever edits policies sees those of the scopes that they hold."""
    require(request, Permission.POLICY_EDIT)
    page = Paginator(sent_to_officers(), _PER_PAGE).get_page(request.GET.get("page"))
    snapshot = _policy()
    return _page(
        request,
        "admin/ask/inbox.html",
        crumbs=[(_TITLE, "")],
        page=page,
        questions=[{**_shown(row, snapshot), "url": reverse("admin:sent_question", args=[row.id])} for row in page],
        waiting=SentQuestion.objects.filter(state=SentState.SENT).count(),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def sent_question_view(request: HttpRequest, sent_id: UUID) -> HttpResponse:
    """One question with all that an officer needs to decide, and the decision."""
    require(request, Permission.POLICY_EDIT)
    row = SentQuestion.objects.filter(id=sent_id).first()
    if row is None:
        raise Http404("There is no question of this id that you may decide on.")
    steps = steps_offered(SENT_QUESTIONS, row, principal_of(request))
    decisions = [(name, step.label) for name, step in steps.items()]
    form = DecideForm(request.POST if request.method == "POST" else None, decisions=decisions)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            with transaction.atomic():
                question_decide(
                    sent_id,
                    decision=SentState(form.cleaned_data["decision"]),
                    reply=form.cleaned_data["reply"],
                )
            return HttpResponseRedirect(request.path)
        except SendingError as error:
            add_error(form, error, _ERROR_FIELDS.get(error.code))
            status = error.status
    elif request.method == "POST":
        status = 422
    return _page(
        request,
        "admin/ask/sent_question.html",
        status=status,
        crumbs=[(_TITLE, reverse("admin:sent_inbox")), ("A question", "")],
        question=_shown(row, _policy()),
        form=form if decisions else None,
        add_url=reverse("admin:policy_example_add"),
        event_url=reverse("admin:audit_event_change", args=[row.event_id]),
    )


def _shown(row: SentQuestion, snapshot: PolicySnapshot | None) -> dict[str, Any]:
    shown = sent_shown(row)
    content = shown["content"]
    names = kind_names() if content.withheld else {}
    return {
        **shown,
        "intent": snapshot.label_of(content.intent) if snapshot else content.intent or "unrecognised",
        "refusal": REFUSALS.get(content.refusal, content.refusal) or "only the closest passages were found",
        "withheld": [name_of(each, names) for each in content.withheld],
    }


def _policy() -> PolicySnapshot | None:
    try:
        return policy_in_force()
    except NoPolicyInForceError:
        return None


def _page(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        template,
        {**admin.site.each_context(request), "title": _TITLE, **context},
        status=status,
        headers={"Cache-Control": "no-store"},
    )
