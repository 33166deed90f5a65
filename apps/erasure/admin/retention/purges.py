"""Purges: dry runs, and what was proposed of them. What is removed is removed by the engine's runs alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe
from unfold.widgets import UnfoldAdminRadioSelectWidget, UnfoldAdminSelectWidget

from apps.erasure.admin.retention.frame import events_url, purges_crumb, words
from apps.erasure.admin.retention.purge_words import kept_in_words, parts_shown, purge_state, states_of
from apps.erasure.declarations.retained import RetainedSubject
from apps.erasure.models import Purge, PurgeFigure, PurgePart, Reach
from apps.erasure.retention.diff import name_of
from apps.erasure.retention.dry_run import LOOKED_AT, purge_count
from apps.erasure.retention.errors import NothingDueError
from apps.erasure.retention.months import in_words
from apps.erasure.retention.proposing import PART_TARGETS, purge_propose
from apps.erasure.retention.selectors import latest_count, schedule_in_force
from apps.erasure.retention.subjects import subjects
from apps.errors import ApplicationError
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import require
from apps.tenants.admin.frame import frame
from apps.tenants.admin.read import number_read
from apps.tenants.roles import Permission

_LISTED = 100


class NewPurgeForm(forms.Form):
    reach = forms.ChoiceField(
        label="What shall go",
        choices=Reach.choices,
        initial=Reach.MUST,
        widget=UnfoldAdminRadioSelectWidget,
        error_messages={"required": "Choose one of the two.", "invalid_choice": "Choose one of the two."},
    )
    subject = forms.ChoiceField(label="Of what", required=False, widget=UnfoldAdminSelectWidget)
    reason = words(
        "Why now",
        help_text="Whoever approves the removal reads this. It stays with the purge.",
        missing="Say why, in a few words: whoever approves needs the reason, and so does the audit log.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        by_family: dict[str, list[tuple[str, str]]] = {}
        for key, subject in subjects().items():
            by_family.setdefault(subject.family, []).append((key, subject.label))
        self.fields["subject"].choices = [("", "All event classes and document kinds"), *by_family.items()]  # type: ignore[attr-defined]


@require_safe
def purges_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.AUDIT_VIEW)
    found = list(Purge.objects.select_related("schedule")[:_LISTED])
    ids = [purge.id for purge in found]
    items: Counter[UUID] = Counter()
    for purge_id, count in PurgeFigure.objects.filter(purge_id__in=ids).values_list("purge_id", "count"):
        items[purge_id] += count
    parts: dict[UUID, list[PurgePart]] = {id: [] for id in ids}
    for part in PurgePart.objects.filter(purge_id__in=ids):
        parts[part.purge_id].append(part)
    states = states_of([part for each in parts.values() for part in each])
    return frame(
        request,
        "glassbox/purges.html",
        title="Purges",
        purges=[
            {
                "purge": each,
                "items": items[each.id],
                "about": _about(each),
                "state": purge_state(parts[each.id], states),
            }
            for each in found
        ],
        counted=latest_count(),
        listed=_LISTED,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def purge_new_view(request: HttpRequest) -> HttpResponse:
    """GET ?reach= and ?subject= choose beforehand."""
    require(request, Permission.PRIVACY_MANAGE)
    chosen = {name: request.GET[name] for name in ("reach", "subject") if name in request.GET}
    form = NewPurgeForm(request.POST) if request.method == "POST" else NewPurgeForm(initial=chosen)
    if request.method == "POST" and form.is_valid():
        said = form.cleaned_data
        try:
            purge = purge_count(reach=Reach(said["reach"]), subject=said["subject"], reason=said["reason"])
        except NothingDueError as error:
            form.add_error("reach", error.detail)
        else:
            return HttpResponseRedirect(reverse("admin:purge", args=[purge.id]))
    return frame(
        request,
        "glassbox/form_page.html",
        title="New dry run",
        crumbs=[purges_crumb()],
        form=form,
        intro="A dry run counts what the retention rules in force permit or require to be removed today. It removes "
        "nothing. You can then propose what it finds to a second person.",
        action="Count what would be removed",
        back=reverse("admin:purges"),
        status=422 if form.errors else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def purge_view(request: HttpRequest, purge_id: UUID) -> HttpResponse:
    """POST: propose the next part."""
    require(request, Permission.AUDIT_VIEW)
    purge: Purge | None = Purge.objects.select_related("schedule").filter(id=purge_id).first()
    if purge is None:
        raise Http404("There is no purge with this id that you may see.")
    refusal = ""
    if request.method == "POST":
        require(request, Permission.PRIVACY_MANAGE)
        try:
            part = purge_propose(purge.id, number=number_read(request.POST, "number"))
        except ApplicationError as error:
            if error.status == 403:
                raise
            refusal = error.detail
        else:
            messages.success(request, _said(part))
            return HttpResponseRedirect(reverse("admin:purge", args=[purge.id]))
    return _show(request, purge, refusal)


def _show(request: HttpRequest, purge: Purge, refusal: str) -> HttpResponse:
    figures = list(PurgeFigure.objects.filter(purge_id=purge.id))
    parts = list(PurgePart.objects.filter(purge_id=purge.id))
    states = states_of(parts)
    in_force = schedule_in_force()
    ended = bool(parts) and parts[-1].is_last
    items = sum(figure.count for figure in figures)
    return frame(
        request,
        "glassbox/purge.html",
        title=f"Purge of {purge.counted_for:%-d %B %Y}",
        crumbs=[purges_crumb()],
        purge=purge,
        about=_about(purge),
        items=items,
        most=PART_TARGETS,
        looked_at=LOOKED_AT,
        figures=[_figure(each) for each in figures],
        kept=kept_in_words(sum((Counter(each.kept) for each in figures), Counter())),
        parts=parts_shown(parts, states),
        ended=ended,
        outdated=in_force is not None and in_force.id != purge.schedule_id,
        next_number=len(parts) + 1,
        has_events=any(each.subject.startswith("event:") for each in figures),
        events_url=events_url(request, purge.id),
        refusal=refusal,
        status=409 if refusal else 200,
    )


def _figure(figure: PurgeFigure) -> dict[str, Any]:
    about = subjects().get(figure.subject)
    return {
        "figure": figure,
        "name": name_of(figure.subject, figure.group),
        "months": in_words(figure.months),
        "clock": about.clocks.get(figure.clock_start, "") if about else "",
        "kept": kept_in_words(figure.kept),
        "partly": figure.looked_at < figure.count,
        "samples": [_sample(each, about) for each in figure.samples],
    }


def _sample(sample: Mapping[str, Any], about: RetainedSubject | None) -> dict[str, Any]:
    """With the part in words, and the address of the item's page."""
    if about is None:
        return {**sample, "url": ""}
    part = about.groups.get(sample["part"], sample["part"])
    return {**sample, "part": part, "url": address(about.page, str(sample["id"]))}


def _about(purge: Purge) -> str:
    about = f"{purge.get_reach_display()}: {name_of(purge.subject)}" if purge.subject else purge.get_reach_display()
    return str(about)


def _said(part: PurgePart) -> str:
    if not part.targets:
        return "Nothing was proposed: the rest of this purge is kept or already proposed."
    return f"Proposed: {part.targets:,} items wait for a second person's approval. Nothing is removed before that."
