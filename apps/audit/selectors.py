"""Reading the log: what an event tells, group by group."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from apps.audit.models import Event

Payload = Mapping[str, Mapping[str, Any]]


def payloads_of(events: Iterable[Event]) -> dict[UUID, Payload]:
    """The payload of each event, by its id: group -> field -> value. A group that was removed is absent."""
    return {event.id: event.payload for event in events}
