"""The Ask page: a question, its answer, and the whole way of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_http_methods

from apps.erasure.errors import ScopeClosedError
from apps.errors import ApplicationError
from apps.intents.admin.matrix import RECORDING
from apps.intents.contracts import UNRECOGNISED, PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.selectors import policy_in_force
from apps.retrieval.admin.ask_answer import answer_view
from apps.retrieval.admin.ask_details import Way
from apps.retrieval.admin.ask_fates import fates
from apps.retrieval.admin.ask_figures import duration
from apps.retrieval.admin.ask_form import AskForm
from apps.retrieval.admin.ask_latency import latency_view
from apps.retrieval.admin.ask_links import event_url, policy_url
from apps.retrieval.admin.ask_progress import stages_shown
from apps.retrieval.admin.ask_rankings import found_in, hit_ids
from apps.retrieval.admin.ask_status import badges, missing_parts
from apps.retrieval.admin.ask_way import step_groups
from apps.retrieval.contracts import ContextBlock
from apps.retrieval.errors import QuestionError
from apps.retrieval.selectors.passages import passage_places
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

_SHOWN_OF_EACH: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleGroup:
    """Golden examples of one intent, to begin with; reach says which kinds of document it may use."""

    label: str
    description: str
    reach: str
    questions: tuple[str, ...]


@opens_own_scopes
@require_http_methods(["GET", "POST"])
def ask_view(request: HttpRequest) -> HttpResponse:
    """The form; after a POST the answer above it. No transaction is open while the question is answered.

    The answer is in this response and nowhere else: the text of a question is not stored, so there is no page to
    redirect to, and it stands in no address.
    """
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
    with page.open():
        form = AskForm(request.POST if request.method == "POST" else None, nodes=scope_tree())
    asked, status = _ask(form, principal, stages_shown(request)) if request.method == "POST" else (None, 200)
    with page.open():
        context = _context(request, form, asked)
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request, "admin/ask/page.html", context, status=status, headers={"Cache-Control": "no-store"}
    )


def _context(request: HttpRequest, form: AskForm, asked: Asked | None) -> dict[str, Any]:
    return {
        **admin.site.each_context(request),
        "title": "Ask",
        "crumbs": [("Ask", "")],
        "form": form,
        "question": form.data.get("question", ""),
        "maximum_chars": stages_in_use().question_maximum_chars,
        "examples": _examples(),
        "answer": answer_context(asked, may_open_event=may(request, Permission.AUDIT_VIEW)) if asked else None,
    }


def _ask(form: AskForm, principal: Principal, on_stage: OnStage | None) -> tuple[Asked | None, int]:
    """Ask, or put the refusal beside its field. Returns: the answer if there is one, and the HTTP status."""
    if not form.is_valid():
        return None, 422
    try:
        asked = ask(
            text=form.cleaned_data["question"],
            scopes=form.cleaned_data["scopes"],
            principal=principal,
            on_stage=on_stage,
        )
    except QuestionError as error:
        form.add_error("question", error.detail)
        return None, error.status
    except (ScopeNotGrantedError, ScopeClosedError) as error:
        form.add_error("scopes", error.detail)
        return None, error.status
    except ApplicationError as error:
        form.add_error(None, error.detail)
        return None, error.status
    return asked, 200


def answer_context(asked: Asked, *, may_open_event: bool) -> dict[str, Any]:
    """What the template shows of an answer."""
    answer, trace = asked.result.answer, asked.result.trace
    found = found_in(trace, places=passage_places(hit_ids(trace)), fates=fates(trace, answer.citations))
    way = Way(
        trace=trace,
        citations=answer.citations,
        decision=asked.decision,
        grant=asked.grant,
        snapshot=policy_in_force(),
        found=found,
    )
    view = answer_view(answer, trace.output(ContextBlock))
    return {
        "asked": asked,
        "badges": badges(answer),
        "missing": missing_parts(answer),
        "view": view,
        "cited": view.cited,
        "recording": RECORDING[asked.grant.recording_mode],
        "notices": answer.notices,
        "groups": step_groups(way),
        "latency": latency_view(trace),
        "elapsed": duration(trace.elapsed_ms),
        "policy_url": policy_url(asked.grant.policy_version_id),
        "event_url": event_url(asked.event) if may_open_event else "",
    }


def _examples() -> tuple[ExampleGroup, ...]:
    """None while no policy is in force: asking says so, with what to do."""
    try:
        return _example_groups(policy_in_force())
    except NoPolicyInForceError:
        return ()


def _example_groups(snapshot: PolicySnapshot) -> tuple[ExampleGroup, ...]:
    """The first examples of each intent, in the policy's order; questions outside of all intents come last."""
    fallback = snapshot.fallback
    rows = [
        *((rule.name, rule.label, rule.description, rule.kinds) for rule in snapshot.intents),
        (UNRECOGNISED, fallback.label, fallback.description, fallback.kinds),
    ]
    return tuple(
        ExampleGroup(
            label=label,
            description=description,
            reach=", ".join(kind.label for kind in kinds),
            questions=questions,
        )
        for name, label, description, kinds in rows
        if (questions := tuple(each.text for each in snapshot.examples if each.intent == name)[:_SHOWN_OF_EACH])
    )
