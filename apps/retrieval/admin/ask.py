"""The Ask page: a question is asked here, and its answer has a page of its own (ask_page.py)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.loader import render_to_string
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods
from redis.exceptions import RedisError

from apps.corpus.providers.errors import WarmingUpError
from apps.erasure.errors import ScopeClosedError
from apps.errors import ApplicationError
from apps.retrieval.admin.ask_earlier import (
    FIELD,
    NOT_KEPT,
    EarlierQuestion,
    answer_url_after,
    earlier_questions,
    ids_sent,
)
from apps.retrieval.admin.ask_examples import examples_context
from apps.retrieval.admin.ask_form import AskForm
from apps.retrieval.admin.ask_given import place_of
from apps.retrieval.admin.ask_progress import stages_shown
from apps.retrieval.admin.ask_shown import answer_with_way, content_of_asked
from apps.retrieval.errors import QuestionError
from apps.retrieval.kept.content import documents_shown
from apps.retrieval.kept.history import kept_answer
from apps.retrieval.kept.momentary import JustGiven, remember
from apps.retrieval.services.ask import Asked, ask
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.trace import OnStage
from apps.tenants.admin.base import may, require
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

logger = logging.getLogger("glassbox.ask")


@opens_own_scopes
@require_http_methods(["GET", "POST"])
def ask_view(request: HttpRequest) -> HttpResponse:
    """The form; after a POST the answer's own page. No transaction is open while the question is answered."""
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
    with page.open():
        form = AskForm(request.POST if request.method == "POST" else None, nodes=scope_tree())
    asked, status, after = None, 200, ids_sent(request.POST.getlist(FIELD))
    earlier = earlier_questions(request, page, after)
    if request.method == "POST":
        if after and not earlier and form.is_valid():
            form.add_error("question", NOT_KEPT)
            after = ()
        asked, status = _ask(form, principal, stages_shown(request), earlier)
    answer = None
    if asked is not None:
        with page.open():
            answer = answer_with_way(asked, may_open_event=may(request, Permission.AUDIT_VIEW))
        if _has_page(request, page, asked, answer):
            return HttpResponseRedirect(answer_url_after(asked.event.id, after))
    with page.open():
        question = form.data.get("question", "")
        context = {**ask_context(request, form, question=question), "answer": answer, "earlier": earlier}
    if answer is None:
        # Without the page's script, which fetches them, a link asks for the examples.
        context |= examples_context(principal) if "examples" in request.GET else {"examples_fetched": True}
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request, "admin/ask/page.html", context, status=status, headers={"Cache-Control": "no-store"}
    )


def _has_page(request: HttpRequest, page: ShortScopes, asked: Asked, answer: dict[str, Any]) -> bool:
    """Keep the answer for its page. Return whether it has one: without Redis, only one in the person's history has."""
    given = JustGiven(
        content=content_of_asked(asked),
        answer_html=render_to_string("admin/ask/answer.html", {"answer": answer}),
        way_html=render_to_string("admin/ask/way.html", {"answer": answer}),
        scope_ids=tuple(asked.event.scope_ids),
        document_ids=tuple(sorted(documents_shown(asked.result.answer, asked.result.trace))),
    )
    try:
        remember(given, place_of(request, asked.event.id))
    except RedisError as error:
        # Without the traceback: an outage would write one for every question.
        logger.error("an answer has no page: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
        with page.open():
            return kept_answer(asked.event.id) is not None
    return True


def ask_context(request: HttpRequest, form: AskForm, *, question: str) -> dict[str, Any]:
    """Return what the form shows, on its own page and above an answer."""
    return {
        **admin.site.each_context(request),
        "title": "Ask",
        "crumbs": [("Ask", "")],
        "form": form,
        "question": question,
        "maximum_chars": stages_in_use().question_maximum_chars,
    }


def _ask(
    form: AskForm, principal: Principal, on_stage: OnStage | None, earlier: Sequence[EarlierQuestion]
) -> tuple[Asked | None, int]:
    """Ask, or put the refusal beside its field. Returns: the answer if there is one, and the HTTP status."""
    if not form.is_valid():
        return None, 422
    try:
        asked = ask(
            text=form.cleaned_data["question"],
            scopes=form.cleaned_data["scopes"],
            earlier=[each.text for each in earlier],
            principal=principal,
            on_stage=on_stage,
        )
    except QuestionError as error:
        form.add_error("question", error.detail)
        return None, error.status
    except (ScopeNotGrantedError, ScopeClosedError) as error:
        form.add_error("scopes", error.detail)
        return None, error.status
    except WarmingUpError as error:
        form.add_error(None, error.detail)
        form.asks_again = True
        return None, error.status
    except ApplicationError as error:
        form.add_error(None, error.detail)
        return None, error.status
    return asked, 200
