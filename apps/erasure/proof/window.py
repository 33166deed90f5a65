"""When tables may be written anew: hours in which nobody minds that they can't be read for a while."""

from __future__ import annotations

from datetime import datetime, time

from django.conf import settings

from apps.erasure.proof.errors import WindowError


def is_open(now: datetime) -> bool:
    """Args: now: with a time zone, UTC. Raises: WindowError."""
    window: str = settings.GLASSBOX_ERASURE_WINDOW
    if not window:
        return True
    try:
        start, end = (time.fromisoformat(part.strip()) for part in window.split("-"))
    except ValueError as error:
        raise WindowError from error
    moment = now.time()
    # One that ends before it starts goes over midnight.
    return start <= moment < end if start <= end else moment >= start or moment < end
