"""The work list of removals: documents that somebody wants gone, and parts of purges. Requests have their own."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from apps.erasure.admin.removals.words import REASONS, TONES, counted
from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.holds.items import describe
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.selectors import BESIDES_REQUESTS
from apps.tenants.admin.base import require
from apps.tenants.admin.frame import frame
from apps.tenants.display import pill
from apps.tenants.roles import Permission
from apps.tenants.selectors.people import names_of

_LISTED: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    run: RemovalRun
    what: str
    why: str
    by: str
    state: SafeString | str
    url: str


@require_safe
def removals_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.AUDIT_VIEW)
    runs = RemovalRun.objects.filter(origin__in=BESIDES_REQUESTS)
    return frame(
        request,
        "glassbox/removals.html",
        title="Removals",
        waiting=_rows(runs.filter(state=RunState.PROPOSED)),
        decided=_rows(runs.exclude(state=RunState.PROPOSED)[:_LISTED]),
        listed=_LISTED,
    )


def _rows(found: Iterable[RemovalRun]) -> list[Row]:
    runs = list(found)
    kinds: Mapping[UUID, Counter[str]] = defaultdict(Counter)
    for run_id, type in RemovalTarget.objects.filter(run__in=runs).order_by().values_list("run_id", "type"):
        kinds[run_id][type] += 1
    documents = [Target(type=TargetType.DOCUMENT, id=run.origin_id) for run in runs if run.origin == Origin.REMOVAL]
    named = {target.id: item.name for target, item in describe(documents).items()}
    people = names_of(run.proposed_by for run in runs)
    return [
        Row(
            run=run,
            what=named.get(run.origin_id) or counted(dict(sorted(kinds[run.id].items()))),
            why=REASONS.get(run.reason_code, run.reason_code),
            by=people.get(run.proposed_by, "somebody who has left"),
            state=pill(run.get_state_display(), TONES[RunState(run.state)]),
            url=reverse("admin:removal_run", args=[run.id]),
        )
        for run in runs
    ]
