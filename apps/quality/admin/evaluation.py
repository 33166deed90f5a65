"""Evaluation questions: what should be found, known beforehand, so that a change of the policy can be measured."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin, messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from apps.errors import ApplicationError
from apps.quality.admin.evaluation_form import ERROR_FIELDS, EvaluationForm
from apps.quality.models import EvaluationQuery
from apps.quality.page_numbers import render_pages
from apps.quality.selectors.evaluation import evaluation_lines, searchable_documents
from apps.quality.services.evaluation import evaluation_query_add, evaluation_query_remove
from apps.tenants.admin.base import add_error, may, require
from apps.tenants.admin.pages import Decision
from apps.tenants.roles import Permission
from apps.tenants.selectors.directory import scope_tree

_TITLE = "Evaluation questions"


@require_safe
def questions_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.POLICY_VIEW)
    lines = [(line, render_pages(line.query.pages)) for line in evaluation_lines()]
    return _page(
        request,
        "glassbox/evaluation_questions.html",
        title=_TITLE,
        crumbs=[(_TITLE, "")],
        lines=lines,
        may_edit=may(request, Permission.POLICY_EDIT),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def add_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.POLICY_EDIT)
    form = EvaluationForm(request.POST if request.method == "POST" else None, nodes=scope_tree())
    if form.is_bound and form.is_valid():
        try:
            with transaction.atomic():
                evaluation_query_add(
                    text=form.cleaned_data["text"],
                    scope_key=form.cleaned_data["scope"],
                    document_id=form.cleaned_data["document"].id,
                    pages=form.cleaned_data["pages"],
                )
        except ApplicationError as error:
            add_error(form, error, ERROR_FIELDS.get(error.code))
        else:
            messages.success(request, "The question was added. The next impact preview asks it.")
            return HttpResponseRedirect(reverse("admin:evaluation_questions"))
    title = "Add an evaluation question"
    return _page(
        request,
        "glassbox/evaluation_add.html",
        title=title,
        crumbs=[(_TITLE, reverse("admin:evaluation_questions")), (title, "")],
        status=422 if form.errors else 200,
        form=form,
        intro=(
            "A question whose right document you know. The impact preview of a policy version asks it under the "
            "policy in force and under that version, and shows whether the document is found as well as before."
        ),
        action="Add the question",
        back=reverse("admin:evaluation_questions"),
        documents=searchable_documents(),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def remove_view(request: HttpRequest, query_id: UUID) -> HttpResponse:
    require(request, Permission.POLICY_EDIT)
    query: EvaluationQuery | None = EvaluationQuery.objects.filter(id=query_id).first()
    if query is None:
        raise Http404("There is no evaluation question with this id that you may see.")
    back = reverse("admin:evaluation_questions")
    if request.method == "POST":
        evaluation_query_remove(query.id)
        messages.success(request, "The question was removed.")
        return HttpResponseRedirect(back)
    title = "Remove this evaluation question?"
    decision = Decision(
        question=title,
        effects=[f"“{query.text}” is no longer asked when the impact of a policy version is computed."],
        irreversible="The question is deleted. Earlier previews keep their figures, but not its text.",
        action="Remove the question",
    )
    return _page(
        request,
        "glassbox/decision.html",
        title=title,
        crumbs=[(_TITLE, back), (title, "")],
        decision=decision,
        refusal="",
        back=back,
    )


def _page(request: HttpRequest, template: str, *, status: int = 200, **context: Any) -> TemplateResponse:
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        template,
        {**admin.site.each_context(request), **context},
        status=status,
        headers={"Cache-Control": "no-store"},
    )
