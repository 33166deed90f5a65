"""Questions of the last days that no intent recognised, as far as the log tells of them.

Payloads are read through the audit app alone, one event after the other, so the number of events is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import Groups, readings_of
from apps.intents.contracts import UNRECOGNISED
from apps.retrieval.events import DECIDED

SHOWN: Final = 50
LOOKED_AT: Final = 1_000
_BATCH: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrecognisedQuestion:
    """One such question. text is None where the log never held it, or holds it no more.

    reason: why it was not recognised; empty where its group was removed.
    length_chars: None where that is not known.
    """

    event_id: UUID
    occurred_at: datetime
    policy_version: int | None
    recording_mode: str
    reason: str
    length_chars: int | None
    text: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class UnrecognisedQuestions:
    """The newest first.

    questions: at most SHOWN. found: how many there are among those looked at. with_text: how many of found have a text.
    looked_at: answered and searched questions whose events were read, the newest; answered: all of these days.
    """

    questions: tuple[UnrecognisedQuestion, ...]
    found: int
    with_text: int
    looked_at: int
    answered: int

    @property
    def more(self) -> int:
        return self.found - len(self.questions)

    @property
    def digest_only(self) -> int:
        return self.found - self.with_text


def unrecognised_questions(*, days: int) -> UnrecognisedQuestions:
    """Of the open tenant and of scopes that the reader holds.

    Args:    days: how far back, in whole days of 24 hours.
    Costs:   a query, a count where there are more than LOOKED_AT, and what the payloads of 200 events at a time cost.
    """
    since = timezone.now() - timedelta(days=days)
    events: QuerySet[Event] = Event.objects.filter(action__in=DECIDED, occurred_at__gte=since)
    newest = list(events.order_by("-occurred_at", "-id")[:LOOKED_AT])
    found = list(_unrecognised(newest))
    return UnrecognisedQuestions(
        questions=tuple(found[:SHOWN]),
        found=len(found),
        with_text=sum(each.text is not None for each in found),
        looked_at=len(newest),
        answered=events.count() if len(newest) == LOOKED_AT else len(newest),
    )


def unrecognised_question(*, event_id: UUID, occurred_at: datetime, payload: Groups) -> UnrecognisedQuestion | None:
    """Read one answered question's payload; None where an intent recognised it, or the record does not tell."""
    core = payload.get(Group.CORE, {})
    if core.get("intent") != UNRECOGNISED:
        return None
    question = payload.get(Group.QUESTION, {})
    text = question.get("text")
    return UnrecognisedQuestion(
        event_id=event_id,
        occurred_at=occurred_at,
        policy_version=_number(core, "policy_version"),
        recording_mode=str(core.get("recording_mode", "")),
        reason=str(question.get("intent_reason", "")),
        length_chars=_number(question, "length_chars"),
        text=text if isinstance(text, str) and text.strip() else None,
    )


def _unrecognised(events: list[Event]) -> Iterator[UnrecognisedQuestion]:
    remaining = iter(events)
    while batch := list(islice(remaining, _BATCH)):
        # A damaged group is shown as one that is not there; the pages of the log say which of the two it is.
        readings = readings_of(batch, groups=(Group.CORE, Group.QUESTION))
        for event in batch:
            found = unrecognised_question(
                event_id=event.id, occurred_at=event.occurred_at, payload=readings[event.id].payload
            )
            if found is not None:
                yield found


def _number(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) else None
