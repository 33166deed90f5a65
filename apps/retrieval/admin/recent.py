"""My questions: what became of each, and its words where the firm keeps them for the person who asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.safestring import SafeString

from apps.audit.models import Event, Outcome
from apps.audit.registry import Group
from apps.audit.selectors import Reading, readings_of
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.selectors import policy_in_force
from apps.retrieval.admin.ask_answer import plain_answer
from apps.retrieval.admin.ask_figures import counted, duration
from apps.retrieval.admin.ask_links import answer_url, event_url
from apps.retrieval.admin.ask_send import sent_shown
from apps.retrieval.contracts import AnswerOutcome, GroundingStatus, RefusalReason
from apps.retrieval.errors import EmptyQuestionError, QuestionTooLongError, UnreadableQuestionError
from apps.retrieval.events import ANSWERED, DECIDED, FAILED, REJECTED, SEARCHED
from apps.retrieval.kept.content import AnswerContent
from apps.retrieval.kept.history import kept_among
from apps.retrieval.models import SentQuestion
from apps.retrieval.selectors.own_questions import own_questions
from apps.retrieval.selectors.sent_questions import sent_of
from apps.retrieval.sent.content import content_of
from apps.tenants.admin.base import may, require
from apps.tenants.context import current_scope
from apps.tenants.display import pill
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_PER_PAGE: Final = 25
REFUSALS: Final[Mapping[str, str]] = {
    RefusalReason.TOO_VAGUE: "too vague to search",
    RefusalReason.NOTHING_FOUND: "nothing found",
    RefusalReason.NOTHING_WITHIN_FILTERS: "nothing found within its filters",
    RefusalReason.NOT_IN_CONTEXT: "not in the documents",
    RefusalReason.UNGROUNDED: "not confirmed, withheld",
    RefusalReason.PROFILE_REFUSED: "refused by the profile",
    RefusalReason.PROFILE_BLOCKED: "withheld by the profile",
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
    """One line of the list. intent and policy are empty where the question did not get that far.

    question, answer: empty where they are not kept. url: the answer's page. event_url: for who may read the log.
    sent: what became of it with the officers.
    """

    event: Event
    question: str
    answer: str
    outcome: SafeString
    detail: str
    intent: str
    policy: str
    elapsed: str
    url: str
    event_url: str
    sent: Mapping[str, Any] | None


def recent_view(request: HttpRequest) -> HttpResponse:
    """Newest first."""
    require(request, Permission.QUESTION_ASK)
    may_open = may(request, Permission.AUDIT_VIEW)
    page = Paginator(own_questions(principal_of(request)), _PER_PAGE).get_page(request.GET.get("page"))
    questions = recent_questions(list(page), may_open=may_open)
    context = {
        **admin.site.each_context(request),
        "title": "My questions",
        "crumbs": [("Ask", reverse("admin:ask")), ("My questions", "")],
        "page": page,
        "questions": questions,
        "without_words": any(not each.question for each in questions),
        "history_days": policy.retrieval.history_days if (policy := _policy()) else 0,
        "may_open": may_open,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "admin/ask/recent.html", context, headers={"Cache-Control": "no-store"})


def recent_questions(events: Sequence[Event], *, may_open: bool) -> list[RecentQuestion]:
    """Return a person's own questions as lines. The words come from their history, or from the log if it has them."""
    told = readings_of(events, groups=(Group.CORE, Group.ANSWER, Group.QUESTION))
    principal, snapshot = current_scope().principal, _policy()
    kept = kept_among([event.id for event in events], asker_id=principal.id) if principal.id else {}
    sent = sent_of(list(told), asker_id=principal.id) if principal.id else {}
    return [
        _line(event, told[event.id], kept.get(event.id), snapshot, sent.get(event.id), may_open=may_open)
        for event in events
    ]


def _line(
    event: Event,
    told: Reading,
    kept: AnswerContent | None,
    snapshot: PolicySnapshot | None,
    sent: SentQuestion | None,
    *,
    may_open: bool,
) -> RecentQuestion:
    """An event of this floor as a line; the intent by its label of today, where the policy still has it."""
    core = told.payload.get(Group.CORE, {})
    # A part that was removed, or that is not what was recorded, tells nothing here.
    answered = event.action in DECIDED and bool(core)
    name = core.get("intent", "")
    label = snapshot.label_of(name) if snapshot else name or "unrecognised"
    return RecentQuestion(
        event=event,
        question=kept.question
        if kept
        else content_of(sent).question
        if sent
        else str(told.payload.get(Group.QUESTION, {}).get("text", "")),
        answer=plain_answer(kept.answer) if kept else "",
        outcome=_outcome(event, told),
        detail=_detail(event, told),
        intent=label if answered else "",
        policy=f"version {core['policy_version']}" if answered else "",
        elapsed=duration(core["elapsed_ms"]) if answered else "",
        url=answer_url(event.id) if event.action in DECIDED else "",
        event_url=event_url(event) if may_open else "",
        sent=sent_shown(sent) if sent else None,
    )


def _outcome(event: Event, told: Reading) -> SafeString:
    if event.action == REJECTED:
        return pill("Not readable", "warn")
    if event.action == FAILED:
        return pill("Failed", "bad")
    if _is_closest(event, told):
        return pill("Closest passages", "warn")
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
        return REFUSALS.get(answer["refusal"], str(answer["refusal"]))
    if event.action == SEARCHED:
        return "passages only, without an answer"
    if _is_closest(event, told):
        return "nothing clearly answers it"
    grounding = _GROUNDINGS.get(answer.get("grounding", ""), "")
    return ", ".join(filter(None, (grounding, counted(len(answer.get("ref_ids", [])), "passage") + " cited")))


def _is_closest(event: Event, told: Reading) -> bool:
    """Whether the closest passages were quoted, and nothing was claimed."""
    return event.action == ANSWERED and told.payload.get(Group.CORE, {}).get("answer_outcome") == AnswerOutcome.CLOSEST


def _policy() -> PolicySnapshot | None:
    try:
        return policy_in_force()
    except NoPolicyInForceError:
        return None
