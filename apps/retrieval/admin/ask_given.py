"""Where the answers that somebody was given a moment ago are kept, and what is there."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.http import HttpRequest
from redis.exceptions import RedisError

from apps.retrieval.kept.momentary import AnswerKey, JustGiven, recall
from apps.tenants.requests import principal_of

_UNKNOWN: Final = "Whether the answer is still kept can't be told: Redis can't be reached. Try again in a moment."


def place_of(request: HttpRequest, event_id: UUID) -> AnswerKey:
    """Where the answer to a question of this session is kept for some minutes."""
    principal = principal_of(request)
    if principal.id is None or request.session.session_key is None:
        raise AssertionError("somebody asked without a session")
    return AnswerKey(
        tenant=principal.tenant_id,
        account=principal.id,
        event=event_id,
        session_key=request.session.session_key,
    )


def just_given(request: HttpRequest, event_id: UUID) -> tuple[JustGiven | None, str]:
    """Return what was given in this session in the last minutes, and what keeps one from knowing."""
    try:
        return recall(place_of(request, event_id)), ""
    except RedisError:
        return None, _UNKNOWN
