"""Count the newest questions by their intent, so that an intent that nobody asks for can be pointed out."""

from __future__ import annotations

from collections import Counter
from typing import Final

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.intents.registry import Traffic
from apps.retrieval.events import DECIDED
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

# Each is decrypted in a fraction of a millisecond, and a page waits for them.
LIMIT: Final = 1_000


def question_traffic(*, limit: int = LIMIT) -> Traffic:
    """Return how many of the newest questions that the open scope's principal may see had each intent.

    Raises: PermissionDeniedError: the principal may not read the log.
    Costs:  two queries.
    """
    current_scope().principal.require(Permission.AUDIT_VIEW)
    events = list(Event.objects.filter(action__in=DECIDED).order_by("-occurred_at", "-id")[:limit])
    readings = readings_of(events, groups=(Group.CORE,))
    intents = (str(readings[event.id].payload.get(Group.CORE, {}).get("intent", "")) for event in events)
    return Traffic(questions=len(events), since=events[-1].occurred_at if events else None, by_intent=Counter(intents))
