"""The events of a person's own questions."""

from __future__ import annotations

from uuid import UUID

from django.db.models import QuerySet

from apps.audit.models import Event
from apps.retrieval.events import ASKED
from apps.tenants.principals import Principal


def own_questions(principal: Principal) -> QuerySet[Event]:
    """Return the events of the questions that the principal asked in the open tenant, newest first."""
    events: QuerySet[Event] = Event.objects.filter(
        action__in=ASKED, actor_kind=principal.kind.value, actor_id=principal.id
    ).order_by("-occurred_at", "-id")
    return events


def own_question(principal: Principal, event_id: UUID) -> Event | None:
    """Return one of them; None where it is somebody else's, or lies in scopes that the principal does not hold."""
    return own_questions(principal).filter(id=event_id).first()
