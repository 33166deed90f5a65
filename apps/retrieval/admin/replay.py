"""Running a recorded question again, and what differs from then."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.audit.admin.events.event import class_of
from apps.audit.models import Event
from apps.corpus.registry import kind_names, name_of
from apps.errors import ApplicationError
from apps.retrieval.admin.ask_links import event_url, policy_url
from apps.retrieval.given_record import RecordedFilters
from apps.retrieval.replay.contracts import Hit, HitShift, HitState, Recorded, Replay
from apps.retrieval.replay.errors import DifferentQuestionError, NotReplayableError, TooManyGuessesError
from apps.retrieval.replay.limits import ALWAYS
from apps.retrieval.replay.recorded import recorded_question
from apps.retrieval.replay.run import question_replay
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import require
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes

_STATES: Final[Mapping[HitState, tuple[str, str]]] = {
    HitState.SAME: ("the same", "quiet"),
    HitState.MOVED: ("moved", "warn"),
    HitState.GONE: ("gone", "bad"),
    HitState.NEW: ("new", "busy"),
}


class _TypedForm(forms.Form):
    """The question, where the log kept its digest alone. Not stripped: every character counts."""

    question = forms.CharField(
        label="The question, exactly as it was asked",
        strip=False,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3, "autocomplete": "off"}),
        help_text="It is compared with the recorded digest and stored nowhere. A text that differs is recorded as an "
        "attempt, without the text.",
    )


@opens_own_scopes
@require_http_methods(["GET", "HEAD", "POST"])
def replay_view(request: HttpRequest, event_id: UUID) -> HttpResponse:
    """GET: what would be done. POST: it is done, and the difference is shown; the run itself is recorded.

    No transaction is open while the question is run.
    """
    require(request, Permission.AUDIT_VIEW)
    require(request, Permission.DOCUMENT_VIEW)
    principal = principal_of(request)
    page = ShortScopes.all_of(principal)
    with page.open():
        event: Event | None = Event.objects.filter(id=event_id).first()
        if event is None:
            raise Http404("There is no event with this id that you may see.")
        try:
            recorded = recorded_question(event)
        except NotReplayableError as error:
            return _page(request, event, refusal=error.detail)
    form = _TypedForm(request.POST if request.method == "POST" else None) if recorded.text is None else None
    shown: dict[str, Any] = {"form": form}
    if request.method == "POST" and (form is None or form.is_valid()):
        shown = _run(event, form, principal)
    with page.open():
        return _page(request, event, recorded=recorded, **shown)


def _run(event: Event, form: _TypedForm | None, principal: Principal) -> dict[str, Any]:
    """Run it, outside of any scope, and return what the page shows of it: the outcome, or why there is none."""
    typed = form.cleaned_data["question"] if form else None
    try:
        replay = question_replay(event, typed=typed, principal=principal)
    except (DifferentQuestionError, TooManyGuessesError) as error:
        if form is None:
            raise
        form.add_error("question", error.detail)
        return {"form": form, "status": error.status}
    except PermissionDenied:
        raise
    except ApplicationError as error:
        return {"form": form, "refusal": error.detail, "status": error.status}
    return {"form": None, "replay": replay, "told": ReplayTold(replay)}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One line of what is compared. equal: None where it can't be."""

    name: str
    then: str
    now: str
    equal: bool | None

    @property
    def verdict(self) -> tuple[str, str]:
        if self.equal is None:
            return "can't be compared", "quiet"
        return ("the same", "good") if self.equal else ("differs", "warn")


@dataclass(frozen=True, slots=True)
class HitLine:
    """A passage then and now. url: its document's page, where that is still there."""

    name: str
    url: str
    kind: str
    then: str
    now: str
    context: str
    state: str
    tone: str
    why: str


class ReplayTold:
    """A replay in words."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay

    @property
    def comparisons(self) -> list[Comparison]:
        then, now = self._replay.recorded.decided, self._replay.now
        return [
            Comparison(
                "Intent", then.intent or "unrecognised", now.intent or "unrecognised", then.intent == now.intent
            ),
            Comparison("Kinds permitted", _kinds(then.kinds), _kinds(now.kinds), then.kinds == now.kinds),
            Comparison("Passages found", *self._passages(), self._replay.hits_equal),
            Comparison(
                "Context, SHA-256",
                _digest(then.context_sha256),
                _digest(now.context_sha256),
                self._replay.context_equal,
            ),
        ]

    @property
    def verdict(self) -> tuple[str, str]:
        if not self._replay.equal:
            return "The decision differs from then", "warn"
        if None in (self._replay.context_equal, self._replay.hits_equal):
            return "What can be compared is the same", "good"
        return "The same decision as then", "good"

    @property
    def counts(self) -> list[tuple[str, str, int]]:
        return [(*_STATES[state], self._replay.count(state)) for state in HitState]

    @property
    def lines(self) -> list[HitLine]:
        return [_line(each) for each in self._replay.shifts or ()]

    def _passages(self) -> tuple[str, str]:
        then, now = self._replay.recorded.decided.hits, self._replay.now.hits or ()
        return ("removed from the log" if then is None else f"{_in_context(then)}", _in_context(now))


def _page(request: HttpRequest, event: Event, *, status: int = 200, **context: Any) -> HttpResponse:
    """The page, whatever of it there is: recorded, form, refusal, replay."""
    recorded: Recorded | None = context.get("recorded")
    if recorded is not None:
        context["policy_url"] = policy_url(recorded.policy_version_id)
        context["filters"] = _filters(recorded.filters)
    title, what = "Run a question again", class_of(event)
    every = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [
            ("Audit events", reverse("admin:audit_event_changelist")),
            (what.label if what else event.action, event_url(event)),
            (title, ""),
        ],
        "event": event,
        "event_url": event_url(event),
        "always": ALWAYS,
        "replays_url": f"{reverse('admin:audit_event_changelist')}?subject={event.id}",
        **context,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request, "glassbox/replay.html", every, status=status, headers={"Cache-Control": "no-store"}
    )


def _filters(recorded: RecordedFilters) -> list[str]:
    """A line for each filter that came with the question."""
    given = recorded.given
    lines = {
        "documents": given.documents,
        "companies": given.companies,
        "periods": None if given.periods is None else [each.label for each in given.periods],
        "kinds": given.kinds,
        "as of": None if recorded.as_of is None else [recorded.as_of.isoformat()],
    }
    return [
        f"{name}: {', '.join(map(str, values)) or 'none that is held'}"
        for name, values in lines.items()
        if values is not None
    ]


def _line(shift: HitShift) -> HitLine:
    state, tone = _STATES[shift.state]
    hit = shift.hit
    why = shift.why or ("The passage with this id has a different text now." if shift.changed else "")
    gone = shift.why.startswith("Its document")
    return HitLine(
        name=hit.ref_id or "a passage",
        url="" if gone else address("corpus_document_change", hit.document_id),
        kind=_kinds((hit.kind,)),
        then=str(shift.then.rank) if shift.then else "",
        now=str(shift.now.rank) if shift.now else "",
        context=_context(shift.then, shift.now),
        state=state,
        tone=tone,
        why=why,
    )


def _context(then: Hit | None, now: Hit | None) -> str:
    was, is_now = bool(then and then.in_context), bool(now and now.in_context)
    return {(True, True): "then and now", (True, False): "then only", (False, True): "now only"}.get(
        (was, is_now), "neither"
    )


def _kinds(kinds: tuple[str, ...]) -> str:
    names = kind_names()
    return ", ".join(name_of(kind, names) for kind in kinds) or "none"


def _in_context(hits: tuple[Hit, ...]) -> str:
    return f"{len(hits)} ({sum(hit.in_context for hit in hits)} in the context)"


def _digest(digest: str | None) -> str:
    if digest is None:
        return "removed from the log"
    return f"{digest[:16]}…" if digest else "no context"
