"""A person's own questions, as the log tells them. Their text is not read."""

from __future__ import annotations

from django.db.models import QuerySet

from apps.audit.models import Event
from apps.retrieval.events import ASKED
from apps.tenants.principals import Principal


def recent_questions(principal: Principal) -> QuerySet[Event]:
    """The events of the questions that the principal asked in the open tenant, newest first."""
    events: QuerySet[Event] = Event.objects.filter(
        action__in=ASKED, actor_kind=principal.kind.value, actor_id=principal.id
    ).order_by("-occurred_at", "-id")
    return events
