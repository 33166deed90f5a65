"""The page of one answer, at its own address: for the person who asked, and for those with whom they shared it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.http import require_POST, require_safe

from apps.audit.models import Event
from apps.retrieval.admin.ask import ask_context
from apps.retrieval.admin.ask_earlier import FIELD, earlier_questions, ids_sent
from apps.retrieval.admin.ask_form import AskForm
from apps.retrieval.admin.ask_given import just_given
from apps.retrieval.admin.ask_links import answer_url
from apps.retrieval.admin.ask_send import SendForm, send_context
from apps.retrieval.admin.ask_shown import answer_shown
from apps.retrieval.admin.recent import recent_questions
from apps.retrieval.errors import AnswerNotKeptError
from apps.retrieval.kept.history import answer_share, content_of, kept_answer
from apps.retrieval.kept.momentary import KEPT_SECONDS, JustGiven
from apps.retrieval.models import KeptAnswer
from apps.retrieval.retrievers.documents import may_be_read
from apps.retrieval.selectors.own_questions import own_question
from apps.tenants.admin.base import may, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

NOTHING: Final = "There is no answer here that you may see."


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What there is of an answer. event: the question's, if one's own. row: in the asker's history."""

    event: Event | None
    row: KeptAnswer | None


@opens_own_scopes
@require_safe
def answer_page_view(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """The answer, as long as it is kept; of one's own question, after that, what the log tells of it.

    Somebody else's answer that is not shared with the reader is not told apart from one that does not exist.
    """
    require(request, Permission.QUESTION_ASK)
    return answer_response(request, event_id)


def answer_response(
    request: HttpRequest, event_id: UUID, *, form: SendForm | None = None, status: int = 200
) -> HttpResponse:
    """The page, for a view that opens its own scopes. form: what was to be sent to an officer, with what is wrong.

    Raises: Http404.
    """
    principal = principal_of(request)
    page = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
    with page.open():
        found = Found(event=own_question(principal, event_id), row=kept_answer(event_id))
    if found.event is None and found.row is None:
        raise Http404(NOTHING)
    given, problem = just_given(request, event_id) if found.event is not None else (None, "")
    earlier = earlier_questions(request, page, ids_sent(request.GET.getlist(FIELD))) if found.event is not None else ()
    with page.open():
        if found.event is None:
            context = _shared(request, found.row)
        else:
            context = _own(request, found.event, found.row, given)
            context |= {"earlier": earlier, "after": [*(each.id for each in earlier), event_id]}
            context |= send_context(found.event, known=bool(context["question"]), form=form)
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        "admin/ask/answer_page.html",
        {**context, "problem": problem},
        status=status,
        headers={"Cache-Control": "no-store"},
    )


@require_POST
def share_view(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """Share one's own answer by its address, or end that."""
    require(request, Permission.QUESTION_ASK)
    try:
        answer_share(event_id, shared=request.POST.get("shared") == "1")
    except AnswerNotKeptError:
        raise Http404(NOTHING) from None
    return HttpResponseRedirect(f"{answer_url(event_id)}#share")


def _own(request: HttpRequest, event: Event, row: KeptAnswer | None, given: JustGiven | None) -> dict[str, Any]:
    content = given.content if given else content_of(row) if row else None
    documents = given.document_ids if given else tuple(row.document_ids) if row else ()
    closed = not may_be_read(documents)
    (line,) = recent_questions([event], may_open=may(request, Permission.AUDIT_VIEW))
    question = content.question if content else line.question
    form = AskForm(nodes=scope_tree(), ticked=frozenset(event.scope_ids))
    answer: Mapping[str, Any] | None = None
    if content is not None and not closed and given is None:
        answer = _answer(request, content, event.id, event.occurred_at)
    return {
        **ask_context(request, form, question=question),
        **_frame("Answer"),
        "own": True,
        "line": line,
        "fresh": _html(given.answer_html) if given and not closed else "",
        "way": _html(given.way_html) if given and not closed else "",
        "answer": answer,
        "closed": closed,
        "row": row,
        "until": event.occurred_at + timedelta(seconds=KEPT_SECONDS) if given else None,
        "share_url": reverse("admin:ask_share", args=[event.id]) if row else "",
        "address": request.build_absolute_uri(answer_url(event.id)),
        "scopes": [node.scope.name for node in scope_tree() if node.scope.id in set(event.scope_ids)],
    }


def _shared(request: HttpRequest, row: KeptAnswer | None) -> dict[str, Any]:
    if row is None:
        raise AssertionError("an answer that nobody has is shown")
    closed = not may_be_read(row.document_ids)
    asker = Event.objects.filter(id=row.id).values_list("actor_label", flat=True).first()
    return {
        **admin.site.each_context(request),
        **_frame("An answer that was shared"),
        "own": False,
        "asker": asker or "somebody whose account was erased",
        "answer": None if closed else _answer(request, content_of(row), row.id, row.asked_at),
        "closed": closed,
        "row": row,
    }


def _answer(request: HttpRequest, content: Any, event_id: UUID, asked_at: datetime) -> dict[str, Any]:
    may_open = may(request, Permission.AUDIT_VIEW)
    return answer_shown(content, event_id=event_id, asked_at=asked_at, may_open_event=may_open)


def _frame(title: str) -> dict[str, Any]:
    return {"title": title, "crumbs": [("Ask", reverse("admin:ask")), (title, "")]}


def _html(kept: str) -> SafeString:
    """The template made it, and its seal says that nobody changed it since."""
    return mark_safe(kept)  # noqa: S308
