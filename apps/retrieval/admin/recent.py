"""My recent questions: what the log tells a person of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.safestring import SafeString

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import Reading, readings_of
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.selectors import policy_in_force
from apps.retrieval.admin.ask_figures import counted, duration
from apps.retrieval.admin.ask_links import event_url
from apps.retrieval.contracts import GroundingStatus, RefusalReason
from apps.retrieval.errors import EmptyQuestionError, QuestionTooLongError, UnreadableQuestionError
from apps.retrieval.events import ASKED, DECIDED, FAILED, REJECTED, SEARCHED
from apps.tenants.admin.base import may, require
from apps.tenants.display import pill
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_PER_PAGE: Final = 25
_REFUSALS: Final[Mapping[str, str]] = {
    RefusalReason.TOO_VAGUE: "too vague to search",
    RefusalReason.NOTHING_FOUND: "nothing found",
    RefusalReason.NOTHING_WITHIN_FILTERS: "nothing found within its filters",
    RefusalReason.NOT_IN_CONTEXT: "not in the documents",
    RefusalReason.UNGROUNDED: "not confirmed, withheld",
}
_REJECTIONS: Final[Mapping[str, str]] = {
    EmptyQuestionError.code: "empty",
    UnreadableQuestionError.code: "control characters only",
    QuestionTooLongError.code: "too long",
}
_GROUNDINGS: Final[Mapping[str, str]] = {
    GroundingStatus.GROUNDED: "grounded",
    GroundingStatus.PARTIAL: "partly grounded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentQuestion:
    """One line of the list. intent and policy are empty where the question did not get that far."""

    event: Event
    outcome: SafeString
    detail: str
    intent: str
    policy: str
    elapsed: str
    url: str


def recent_view(request: HttpRequest) -> HttpResponse:
    """Newest first. Their text is not here, and not decrypted for it."""
    require(request, Permission.QUESTION_ASK)
    may_open = may(request, Permission.AUDIT_VIEW)
    page = Paginator(_recent_questions(principal_of(request)), _PER_PAGE).get_page(request.GET.get("page"))
    snapshot, told = _policy(), readings_of(page, groups=(Group.CORE, Group.ANSWER))
    context = {
        **admin.site.each_context(request),
        "title": "My recent questions",
        "crumbs": [("My recent questions", "")],
        "page": page,
        "questions": [recent_question(event, told[event.id], snapshot, may_open=may_open) for event in page],
        "may_open": may_open,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "admin/ask/recent.html", context)


def _recent_questions(principal: Principal) -> QuerySet[Event]:
    """The events of the questions that the principal asked in the open tenant, newest first."""
    events: QuerySet[Event] = Event.objects.filter(
        action__in=ASKED, actor_kind=principal.kind.value, actor_id=principal.id
    ).order_by("-occurred_at", "-id")
    return events


def recent_question(event: Event, told: Reading, snapshot: PolicySnapshot | None, *, may_open: bool) -> RecentQuestion:
    """An event of this floor as a line; the intent by its label of today, where the policy still has it."""
    core = told.payload.get(Group.CORE, {})
    # A part that was removed, or that is not what was recorded, tells nothing here.
    answered = event.action in DECIDED and bool(core)
    name = core.get("intent", "")
    label = snapshot.label_of(name) if snapshot else name or "unrecognised"
    return RecentQuestion(
        event=event,
        outcome=_outcome(event),
        detail=_detail(event, told),
        intent=label if answered else "",
        policy=f"version {core['policy_version']}" if answered else "",
        elapsed=duration(core["elapsed_ms"]) if answered else "",
        url=event_url(event) if may_open else "",
    )


def _outcome(event: Event) -> SafeString:
    if event.action == REJECTED:
        return pill("Not readable", "warn")
    if event.action == FAILED:
        return pill("Failed", "bad")
    went_well = "Searched" if event.action == SEARCHED else "Answered"
    words = {Outcome.SUCCESS: (went_well, "good"), Outcome.DEGRADED: ("Degraded", "warn")}
    return pill(*words.get(Outcome(event.outcome), ("Refused", "warn")))


def _detail(event: Event, told: Reading) -> str:
    """What came of it, in a few words."""
    if told.problems:
        return "its record is damaged"
    if event.action not in DECIDED:
        code = str(told.payload.get(Group.CORE, {}).get("code", ""))
        return _REJECTIONS.get(code, code)
    answer = told.payload.get(Group.ANSWER)
    if answer is None:
        return "removed from the record"
    if answer.get("refusal"):
        return _REFUSALS.get(answer["refusal"], str(answer["refusal"]))
    if event.action == SEARCHED:
        return "passages only, without an answer"
    grounding = _GROUNDINGS.get(answer.get("grounding", ""), "")
    return ", ".join(filter(None, (grounding, counted(len(answer.get("ref_ids", [])), "passage") + " cited")))


def _policy() -> PolicySnapshot | None:
    try:
        return policy_in_force()
    except NoPolicyInForceError:
        return None
