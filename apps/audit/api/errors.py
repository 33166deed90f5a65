from __future__ import annotations

from apps.errors import ApplicationError


class EventNotFoundError(ApplicationError):
    """There is none, or it touched a scope that the caller does not hold: the two must look alike."""

    code = "audit.event_not_found"
    status = 404
    message = "There is no event {event} that you may see."
