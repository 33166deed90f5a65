"""Requests in words: states as pills, deadlines counting down, history as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final
from uuid import UUID

from django.utils.safestring import SafeString

from apps.audit.registry import event_class
from apps.audit.selectors import readings_of
from apps.privacy.codes.life import ANSWERED, RequestState, label_of
from apps.privacy.codes.requests import LetterKind, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.deadlines import days_left, deadline, left_in_words
from apps.privacy.requests.selectors import history, legal_today
from apps.privacy.requests.subjects import subject_name
from apps.tenants.display import pill

_S = RequestState
_TONES: Final[Mapping[RequestState, str]] = {
    _S.RECEIVED: "warn",
    _S.IDENTITY_PENDING: "quiet",
    _S.ASSESSING: "busy",
    _S.INVENTORY_READY: "busy",
    _S.AWAITING_APPROVAL: "warn",
    _S.RESTRICTED: "busy",
    _S.EXECUTING: "busy",
    _S.VERIFYING: "busy",
    _S.COMPLETED: "good",
    _S.PARTIALLY_COMPLETED: "warn",
    _S.REFUSED: "quiet",
    _S.WITHDRAWN: "quiet",
    _S.FAILED: "bad",
}
# So few days before the end the time left asks for attention.
_SOON_DAYS: Final = 7
_ABOUT: Final[Mapping[SubjectType, str]] = {
    SubjectType.DATA_SUBJECT: "a person who is named in documents",
    SubjectType.USER: "a user of this installation",
    SubjectType.DOCUMENT: "a document",
    SubjectType.SCOPE: "a scope with everything in it",
    SubjectType.TENANT: "the whole tenant",
}


def state_pill(state: RequestState, *, is_access: bool = False) -> SafeString:
    return pill(label_of(state, is_access=is_access), _TONES[state])


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeLeft:
    """left: in words; tone and sign repeat them, and never stand alone."""

    left: str
    tone: str
    sign: str
    due_on: date
    ends_on: date
    is_over: bool
    is_answered: bool

    @property
    def is_moved(self) -> bool:
        return self.due_on != self.ends_on


def time_left(request: ErasureRequest, today: date | None = None) -> TimeLeft:
    found = deadline(request.received_on, extended=request.extended_at is not None)
    days, answered = days_left(request.due_on, today or legal_today()), request.state in ANSWERED
    tone = "quiet" if answered else "bad" if days < 0 else "warn" if days <= _SOON_DAYS else "good"
    return TimeLeft(
        left="answered" if answered else left_in_words(days),
        tone=tone,
        sign={"bad": "▲", "warn": "●"}.get(tone, ""),
        due_on=request.due_on,
        ends_on=found.ends_on,
        is_over=not answered and days < 0,
        is_answered=answered,
    )


def about(request: ErasureRequest) -> str:
    """What is to be erased, in a few words that name no person but a member of the tenant."""
    type = SubjectType(request.subject_type)
    name = "" if type is SubjectType.TENANT else subject_name(type, request.subject_id)
    return f"{_ABOUT[type]}, “{name}”" if name else _ABOUT[type]


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    at: datetime
    words: str
    by: str
    event_id: UUID


def story(request: ErasureRequest) -> Sequence[Happened]:
    """What was done, from the log."""
    events = list(history(request))
    readings = readings_of(events)
    found = []
    for event in events:
        core = readings[event.id].payload.get("core", {})
        kind = core.get("letter_kind")
        what = f": {LetterKind(kind).label}" if kind in LetterKind.values else ""
        found.append(
            Happened(
                at=event.occurred_at,
                words=f"{event_class(event.action).label}{what}",
                by=event.actor_label,
                event_id=event.id,
            )
        )
    return found
