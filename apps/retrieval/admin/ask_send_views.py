"""Send a question to the officers, and take it back: the posts of the forms on its page."""

from __future__ import annotations

from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST

from apps.retrieval.admin.ask_given import just_given
from apps.retrieval.admin.ask_links import answer_url
from apps.retrieval.admin.ask_page import NOTHING, answer_response
from apps.retrieval.admin.ask_send import ERROR_FIELDS, SendForm
from apps.retrieval.admin.recent import recent_questions
from apps.retrieval.errors import SendingError
from apps.retrieval.selectors.own_questions import own_question
from apps.retrieval.sent.services import question_send, question_take_back
from apps.tenants.admin.base import add_error, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes


@opens_own_scopes
@require_POST
def send_view(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """The text comes from where it is still kept, or from the form."""
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
    given, _ = just_given(request, event_id)
    with page.open():
        event = own_question(principal, event_id)
        text = (
            given.content.question if given else recent_questions([event], may_open=False)[0].question if event else ""
        )
    form = SendForm(request.POST, known=bool(text))
    form.is_valid()
    try:
        with page.open():
            question_send(
                event_id,
                text=text or form.cleaned_data.get("text", ""),
                note=form.cleaned_data.get("note", ""),
                consent=form.cleaned_data.get("consent", False),
            )
    except SendingError as error:
        if error.status == 404:
            raise Http404(NOTHING) from None
        add_error(form, error, ERROR_FIELDS.get(error.code))
        return answer_response(request, event_id, form=form, status=error.status)
    return HttpResponseRedirect(f"{answer_url(event_id)}#sent")


@require_POST
def take_back_view(request: HttpRequest, event_id: UUID) -> HttpResponse:
    require(request, Permission.QUESTION_ASK)
    try:
        question_take_back(event_id)
    except SendingError:
        raise Http404(NOTHING) from None
    return HttpResponseRedirect(f"{answer_url(event_id)}#sent")
