"""The impact preview of a policy version: a fragment that pages load, and a page of its own for drafts."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_safe

from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.standing import by_time
from apps.quality.admin.impact_tables import ImpactTables
from apps.quality.admin.impact_words import headlines, limits, progress_words
from apps.quality.impact.stored import result_from_json
from apps.quality.models import ImpactState, PolicyImpact
from apps.quality.selectors.impact import preview_of
from apps.quality.services.impact import impact_request
from apps.retrieval.admin.ask_links import policy_url
from apps.tenants.admin.base import may, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission


@require_http_methods(["GET", "HEAD", "POST"])
def impact_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """GET: the fragment. POST: compute, and back to the page that holds the fragment."""
    require(request, Permission.POLICY_VIEW)
    version = _version(version_id)
    if request.method == "POST":
        impact_request(version.id)
        return HttpResponseRedirect(_back(request, version))
    preview = preview_of(version, principal_of(request))
    context: dict[str, Any] = {
        "preview": preview,
        "version": version,
        "impact": preview.impact,
        "questions_url": reverse("admin:evaluation_questions"),
    }
    if preview.impact is not None:
        context["words"] = progress_words(preview.impact)
        context["base_url"] = policy_url(preview.impact.base_id)
        if preview.impact.state == ImpactState.DONE:
            context.update(_result(request, version, preview.impact))
    response = render(request, "glassbox/impact.html", context)
    response["Cache-Control"] = "no-store"
    return response


@require_safe
def impact_page_view(request: HttpRequest, version_id: UUID) -> HttpResponse:
    """The same by itself."""
    require(request, Permission.POLICY_VIEW)
    version = _version(version_id)
    title = f"Impact of version {version.number}"
    versions = reverse("admin:intents_policyversion_changelist")
    context = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [("Policy versions", versions), (str(version), policy_url(version.id)), (title, "")],
        "version": version,
        "is_draft": version.status == VersionStatus.DRAFT,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/impact_page.html", context)


def _version(version_id: UUID) -> PolicyVersion:
    version: PolicyVersion | None = by_time(PolicyVersion.objects.filter(id=version_id)).first()
    if version is None:
        raise Http404("There is no policy version with this id that you may see.")
    return version


def _result(request: HttpRequest, version: PolicyVersion, impact: PolicyImpact) -> dict[str, Any]:
    result = result_from_json(impact.result)
    tables = ImpactTables(
        result,
        before=version_snapshot(impact.base),
        after=version_snapshot(version),
        may_open_events=may(request, Permission.AUDIT_VIEW),
    )
    return {"result": result, "headlines": headlines(result), "limits": limits(result), "tables": tables}


def _back(request: HttpRequest, version: PolicyVersion) -> str:
    """Where the button was pressed, if that was here."""
    came_from = request.headers.get("Referer", "")
    if url_has_allowed_host_and_scheme(came_from, {request.get_host()}, require_https=request.is_secure()):
        return came_from
    return reverse("admin:policy_impact_page", args=[version.id])
