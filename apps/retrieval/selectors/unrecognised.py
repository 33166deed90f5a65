"""Select recent questions that no intent recognised, as far as the log holds them.

Payloads are read only through the audit app, one event after the other, so the number of events is bounded.
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
    """A question that no intent recognised. text is None if the log never held the text or no longer holds it.

    reason: why it was not recognised; empty if the group of the payload that holds the reason was removed.
    length_chars: None if unknown.
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
    """Unrecognised questions, newest first.

    questions: at most SHOWN of them. found: how many there are among the events that were read.
    with_text: how many of `found` have a text.
    looked_at: how many events of answered and searched questions were read; these are the newest.
    answered: how many such events there are in the whole time.
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
    """Return the unrecognised questions of the open tenant, within the scopes that the reader holds.

    Args:    days: how far back, in whole days of 24 hours.
    Costs:   one query, one count if there are at least LOOKED_AT events, and the reading of payloads in batches of 200
             events.
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
    """Read the payload of one answered question. Return None if an intent recognised it or the record does not say."""
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
        # A damaged group is treated like a missing one. The log's own pages say which of the two it is.
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
