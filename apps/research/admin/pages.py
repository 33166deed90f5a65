"""The Research pages: ask, confirm the plan, look at the steps while it works, and read the answer with its sources."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from django.contrib import admin, messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from apps.corpus.providers.errors import WarmingUpError
from apps.erasure.errors import ScopeClosedError
from apps.errors import ApplicationError
from apps.intents.selectors import policy_in_force
from apps.research.admin.form import ResearchForm
from apps.research.admin.shown import run_context
from apps.research.errors import RunError
from apps.research.models import RunMode
from apps.research.runs.export import as_markdown
from apps.research.runs.plan_change import Wanted, plan_change
from apps.research.runs.reading import own_runs
from apps.research.runs.services import run_cancel, run_request, run_start
from apps.research.runs.showing import ShownRun, shown
from apps.retrieval.contracts import NO_FILTERS
from apps.retrieval.errors import QuestionError
from apps.tenants.admin.base import require
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

_ON_PAGE: Final = 50
_ABOUT_SCOPES: Final = (ScopeNotGrantedError, ScopeClosedError)
_REFUSALS: Final = (RunError, QuestionError, *_ABOUT_SCOPES, WarmingUpError)


@opens_own_scopes
@require_http_methods(["GET", "POST"])
def research_view(request: HttpRequest) -> HttpResponse:
    """The form and one's own research; after a POST the page of the new one."""
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes.all_of(principal)
    with page.open():
        form = ResearchForm(request.POST if request.method == "POST" else None, nodes=scope_tree())
        form.policy = policy_in_force()
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            run = run_request(
                text=said["question"],
                scopes=said["scopes"],
                given=NO_FILTERS,
                principal=principal,
                mode=RunMode(said["mode"]) if said["mode"] else None,
                confirm_plan=said["confirm_plan"],
            )
        except _REFUSALS as error:
            form.add_error(_field_of(error), str(error))
        else:
            return HttpResponseRedirect(_address(run.id))
    with page.open():
        runs = list(own_runs(principal).order_by("-requested_at", "-id")[:_ON_PAGE])
        context = {
            **admin.site.each_context(request),
            "title": "Research",
            "form": form,
            "question": form.data.get("question", ""),
            "runs": runs,
        }
    return _page(request, "admin/research/page.html", context, status=422 if form.errors else 200)


@require_safe
def run_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The plan, the steps and the answer of one's own research."""
    require(request, Permission.QUESTION_ASK)
    context = {
        **admin.site.each_context(request),
        "title": "Plan and answer",
        "crumbs": [("Research", reverse("admin:research")), ("Plan and answer", "")],
        **_context(run_id),
    }
    return _page(request, "admin/research/run.html", context)


@require_safe
def steps_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The part of the page that changes while the research works."""
    require(request, Permission.QUESTION_ASK)
    return _page(request, "admin/research/steps.html", _context(run_id))


@opens_own_scopes
@require_POST
def plan_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Keep the ticked questions of the plan, in their new wording, and start."""
    require(request, Permission.QUESTION_ASK)
    principal = principal_of(request)
    page = ShortScopes.all_of(principal)
    keys, texts, ticked = (request.POST.getlist(name) for name in ("key", "text", "keep"))
    wanted = [Wanted(key=key, text=text) for key, text in zip(keys, texts, strict=False) if key in ticked]
    try:
        plan_change(run_id, wanted, principal=principal)
        with page.open():
            run_start(run_id)
    except _REFUSALS as error:
        _tell(request, error)
    return HttpResponseRedirect(_address(run_id))


@require_POST
def cancel_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Stop the work."""
    require(request, Permission.QUESTION_ASK)
    try:
        run_cancel(run_id)
    except RunError as error:
        _tell(request, error)
    return HttpResponseRedirect(_address(run_id))


@require_safe
def export_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The answer as a file of Markdown."""
    require(request, Permission.QUESTION_ASK)
    found = _found(run_id)
    if found.result is None:
        raise Http404("This research has no answer that you may see.")
    text = as_markdown(found.result, question=found.content.question if found.content else "")
    headers = {"Content-Disposition": f'attachment; filename="research-{run_id}.md"', "Cache-Control": "no-store"}
    return HttpResponse(text, content_type="text/markdown; charset=utf-8", headers=headers)


def _field_of(error: ApplicationError) -> str:
    if error.code == "research.mode_not_permitted":
        return "mode"
    return "scopes" if isinstance(error, _ABOUT_SCOPES) else "question"


def _context(run_id: UUID) -> dict[str, Any]:
    return run_context(_found(run_id))


def _found(run_id: UUID) -> ShownRun:
    try:
        return shown(run_id)
    except RunError:
        raise Http404("You have no research of this id.") from None


def _tell(request: HttpRequest, error: ApplicationError) -> None:
    if getattr(error, "code", "") == "research.run_unknown":
        raise Http404("You have no research of this id.") from None
    messages.error(request, str(error))


def _address(run_id: UUID) -> str:
    return reverse("admin:research_run", args=[run_id])


def _page(request: HttpRequest, template: str, context: dict[str, Any], *, status: int = 200) -> HttpResponse:
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, template, context, status=status, headers={"Cache-Control": "no-store"})
