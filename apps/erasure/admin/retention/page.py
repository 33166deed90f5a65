"""How long what is kept: the schedule in force, or of a day, in plain words; and what came before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.erasure.admin.retention.frame import approved_by, state_pill
from apps.erasure.models import RetentionSchedule, ScheduleStatus
from apps.erasure.retention.baseline import REASON
from apps.erasure.retention.content import Rule, baseline_rules
from apps.erasure.retention.diff import in_plain_words, name_of
from apps.erasure.retention.selectors import latest_count, rules_of, schedule_in_force, schedule_on
from apps.erasure.retention.subjects import subjects
from apps.tenants.admin.base import may, require
from apps.tenants.admin.frame import frame
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission


class DayForm(forms.Form):
    on = forms.DateField(
        label="Rules in force at the end of",
        required=False,
        widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}),
        error_messages={"invalid": "Enter a day, such as 2026-12-01."},
    )

    def clean_on(self) -> date | None:
        day: date | None = self.cleaned_data["on"]
        if day is not None and day > today():
            raise forms.ValidationError("That day is in the future, and its rules may not be approved yet.")
        return day


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Everything that is kept by the same words."""

    sentence: str
    legal_basis: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    title: str
    bundles: tuple[Bundle, ...]
    uncovered: tuple[str, ...]


@require_safe
def retention_view(request: HttpRequest) -> HttpResponse:
    """GET ?on=<day>: as of then."""
    require(request, Permission.AUDIT_VIEW)
    form = DayForm(request.GET if "on" in request.GET else None)
    day = form.cleaned_data["on"] if form.is_bound and form.is_valid() else None
    schedule = schedule_on(day) if day else schedule_in_force()
    # A tenant of an earlier release has no row until the clock comes by: until then the same rules, from code.
    by_code = schedule is None and day is None
    rules = rules_of(schedule) if schedule else baseline_rules() if by_code else ()
    me = principal_of(request)
    return frame(
        request,
        "glassbox/retention.html",
        title="Retention",
        form=form,
        day=day,
        schedule=schedule,
        by_code=by_code,
        baseline_reason=REASON,
        approver=approved_by(schedule) if schedule else "",
        state=state_pill(schedule) if schedule else "",
        families=families(rules),
        counted=latest_count(),
        waiting=[
            {"schedule": each, "own": each.author_id == me.id}
            for each in RetentionSchedule.objects.filter(status=ScheduleStatus.IN_REVIEW)
        ],
        approves=may(request, Permission.PRIVACY_APPROVE),
        drafts=_drafts(request),
        history=[
            {"schedule": each, "state": state_pill(each), "approver": approved_by(each)}
            for each in RetentionSchedule.objects.exclude(status=ScheduleStatus.DRAFT)
        ],
        purges_url=reverse("admin:purges"),
        status=400 if form.errors else 200,
    )


def today() -> date:
    return timezone.now().astimezone(UTC).date()


def families(rules: Sequence[Rule]) -> tuple[Family, ...]:
    """The rules by what they are about, with those that say the same in one place, the largest first."""
    known = subjects()
    bundles: dict[str, dict[Rule, list[str]]] = defaultdict(lambda: defaultdict(list))
    for rule in rules:
        about = known.get(rule.subject)
        family = about.family if about else "No longer kept"
        bundles[family][replace(rule, subject=_alike(rule), group="")].append(name_of(*rule.key))
    covered = {rule.subject for rule in rules if not rule.group}
    uncovered: dict[str, list[str]] = defaultdict(list)
    for key, subject in known.items():
        if rules and key not in covered:
            uncovered[subject.family].append(subject.label)
    return tuple(
        Family(
            title=family,
            bundles=tuple(
                Bundle(sentence=_sentence(rule), legal_basis=rule.legal_basis, names=tuple(names))
                for rule, names in sorted(bundles[family].items(), key=lambda each: -len(each[1]))
            ),
            uncovered=tuple(uncovered[family]),
        )
        for family in dict.fromkeys([*bundles, *uncovered])
    )


def _alike(rule: Rule) -> str:
    """One subject for all whose clocks have the same names, so that rules that say the same compare equal."""
    known = subjects()
    about = known.get(rule.subject)
    if about is None:
        return rule.subject
    return next(key for key, each in known.items() if each.family == about.family)


def _sentence(rule: Rule) -> str:
    said = in_plain_words(rule)
    return f"{said[0].upper()}{said[1:]}."


def _drafts(request: HttpRequest) -> list[Any]:
    if not may(request, Permission.PRIVACY_MANAGE):
        return []
    me = principal_of(request).id
    return [
        {"schedule": each, "own": each.author_id == me}
        for each in RetentionSchedule.objects.filter(status=ScheduleStatus.DRAFT)
    ]
