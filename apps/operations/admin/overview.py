"""The start page: the state of things, with every figure leading to the list behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from apps.audit.verify.standing import Verdict
from apps.corpus.models import DocumentStatus, JobState
from apps.operations.selectors.overview import Overview, QuestionCounts, overview
from apps.operations.selectors.signs_of_life import signs_of_life
from apps.tenants.registry import Watched
from apps.tenants.requests import principal_of

_MOVING = (JobState.PENDING, JobState.RUNNING, JobState.RETRY)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number with its name; tone only where the number asks for attention."""

    label: str
    count: int
    url: str = ""
    tone: str = ""


def start_page(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Unfold's dashboard callback."""
    found = overview(principal_of(request))
    context.update(
        title="Start",
        overview=found,
        documents=_documents(found),
        jobs=_jobs(found),
        questions=_questions(found.questions),
        waiting=_list_waiting(found),
        signs_url=reverse("admin:signs_of_life"),
        alarms=_alarms(found),
    )
    return context


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownAlarm:
    watched: Watched
    what: str
    todo: str
    url: str


def _alarms(found: Overview) -> list[ShownAlarm]:
    """What was found of the log has words of its own (parts/log_alarm.html), while its row is there to tell it."""
    log = found.log
    is_told = log is not None and log.last is not None and log.verdict in (Verdict.FINDINGS, Verdict.FAILED)
    return [
        ShownAlarm(
            watched=alarm.watched,
            what=alarm.what,
            todo=alarm.todo,
            url=reverse(f"admin:{alarm.page}") if alarm.page else "",
        )
        for alarm in found.alarms
        if not (is_told and alarm.watched is Watched.VERIFICATION)
    ]


def signs_view(request: HttpRequest) -> HttpResponse:
    """The fragment that the start page asks for after it has loaded."""
    return render(request, "glassbox/signs.html", {"signs": signs_of_life()})


def _documents(found: Overview) -> list[Figure]:
    if found.documents is None:
        return []
    address = reverse("admin:corpus_document_changelist")
    return [
        Figure(
            label=str(status.label),
            count=count,
            url=f"{address}?status__exact={status.value}",
            tone="bad" if status is DocumentStatus.FAILED and count else "",
        )
        for status, count in found.documents.items()
    ]


def _jobs(found: Overview) -> list[Figure]:
    if found.jobs is None:
        return []
    address = reverse("admin:corpus_ingestjob_changelist")
    return [
        Figure(
            label=str(state.label),
            count=found.jobs[state],
            url=f"{address}?state__exact={state.value}",
            tone="bad" if state is JobState.FAILED and found.jobs[state] else "",
        )
        for state in (*_MOVING, JobState.FAILED)
    ]


def _questions(counts: QuestionCounts | None) -> list[Figure]:
    if counts is None:
        return []
    day = f"&occurred_at_from_0={counts.since:%Y-%m-%d}&occurred_at_from_1=00:00:00"
    log = "" if counts.own else reverse("admin:audit_event_changelist")

    def figure(label: str, count: int, query: str, tone: str = "") -> Figure:
        return Figure(label=label, count=count, url=f"{log}?{query}{day}" if log else "", tone=tone if count else "")

    answered = "action=retrieval.question.answered"
    return [
        figure("Answered", counts.answered, f"{answered}&outcome__exact=success"),
        figure("Degraded: a part was missing", counts.degraded, f"{answered}&outcome__exact=degraded", "warn"),
        figure("Refused: not in the documents", counts.refused, f"{answered}&outcome__exact=refused"),
        figure("Searched, without an answer", counts.searched, "action=retrieval.question.searched"),
        figure("Rejected: not a usable question", counts.rejected, "action=retrieval.question.rejected"),
        figure("Failed", counts.failed, "action=retrieval.question.failed", "bad"),
    ]


def _list_waiting(found: Overview) -> list[Figure]:
    waiting = found.waiting
    reviews = reverse("admin:policy_reviews")
    drafts = reverse("admin:policy_drafts")
    jobs = reverse("admin:corpus_ingestjob_changelist")
    keys = reverse("admin:tenants_apikey_changelist")
    certified = reverse("admin:recertifications")
    own = reverse("admin:my_keys")
    holds = reverse("admin:audit_legalhold_changelist")
    retention = reverse("admin:retention")
    overdue = f"{reverse('admin:purge_new')}?reach=must"
    erasure, asked = reverse("admin:erasure_requests"), waiting.requests
    every = [
        Figure(label="Jobs that failed", count=waiting.failed_jobs, url=f"{jobs}?state__exact=failed", tone="bad"),
        Figure(label="Policy versions to review", count=waiting.versions_to_review, url=reviews, tone="warn"),
        Figure(label="Your drafts of the policy", count=waiting.own_drafts, url=drafts),
        Figure(
            label="Access and erasure requests overdue",
            count=asked["overdue"],
            url=f"{erasure}?which=overdue",
            tone="bad",
        ),
        Figure(label="Open access and erasure requests", count=asked["open"], url=erasure),
        Figure(label="Erasures to approve", count=asked["to_approve"], url=f"{erasure}?which=approval", tone="warn"),
        Figure(
            label="Removals to approve",
            count=waiting.removals_to_approve,
            url=reverse("admin:removals"),
            tone="warn",
        ),
        Figure(
            label="Letters that need your attention",
            count=asked["letters"],
            url=f"{erasure}?which=letters",
            tone="warn",
        ),
        Figure(label="Grants to confirm or end", count=waiting.grants_to_certify, url=certified, tone="warn"),
        Figure(label="API keys that expire within 14 days", count=waiting.keys_expiring, url=keys, tone="warn"),
        Figure(label="Your keys that expire within 14 days", count=waiting.own_keys_expiring, url=own, tone="warn"),
        Figure(label="Legal holds to review", count=waiting.holds_to_review, url=holds, tone="warn"),
        Figure(label="Retention rules to review", count=waiting.rules_to_review, url=retention, tone="warn"),
        Figure(label="Items past their latest date", count=waiting.past_latest_date, url=overdue, tone="bad"),
    ]
    return [figure for figure in every if figure.count]
