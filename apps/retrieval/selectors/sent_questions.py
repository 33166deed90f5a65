"""Questions that were sent to the officers, as far as the database shows them to who reads."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db.models import Case, IntegerField, QuerySet, Value, When

from apps.retrieval.models import SentQuestion, SentState


def sent_of(event_ids: Collection[UUID], *, asker_id: UUID) -> dict[UUID, SentQuestion]:
    """Return what became of a person's own questions that they sent, by the event of the question. One query."""
    rows = SentQuestion.objects.filter(event_id__in=event_ids, asker_id=asker_id)
    return {row.event_id: row for row in rows}


def sent_to_officers() -> QuerySet[SentQuestion]:
    """Return those that wait first, the oldest of them at the top; then what was decided on, newest first."""
    waits = Case(When(state=SentState.SENT, then=Value(0)), default=Value(1), output_field=IntegerField())
    found: QuerySet[Any] = SentQuestion.objects.annotate(waits=waits).order_by("waits", "-decided_at", "sent_at")
    return found
