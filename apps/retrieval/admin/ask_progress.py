"""What the Ask page shows while somebody waits: the stages of their question that have ended, by name alone.

The script of the page gives the question a random name and asks for its stages under it. They lie in Redis for a few
minutes. Without the script, or without Redis, the page only says that it searches.
"""

from __future__ import annotations

import logging
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from django.http import HttpRequest, JsonResponse
from django.views.decorators.http import require_safe
from redis.exceptions import RedisError

from apps.audit.admin.events.trace import STAGES, milliseconds
from apps.retrieval.trace import OnStage, StageRecord, StageStatus
from apps.tenants.admin.base import require
from apps.tenants.principals import Principal
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import opens_own_scopes

FIELD: Final = "progress"
# Longer than a question takes.
_KEPT_S: Final = 180
_NOTES: Final = {StageStatus.DEGRADED: "failed in part", StageStatus.SKIPPED: "not needed"}

logger = logging.getLogger("glassbox.retrieval")


def stages_shown(request: HttpRequest) -> OnStage | None:
    """Return what keeps the stages of the question that the request asks; None if its page did not name it."""
    name = _name(request.POST.get(FIELD, ""))
    return None if name is None else _Kept(_key(principal_of(request), name))


@opens_own_scopes
@require_safe
def ask_progress_view(request: HttpRequest, name: UUID) -> JsonResponse:
    """Tell the stages that have ended; none for a name that is not of this person's question."""
    require(request, Permission.QUESTION_ASK)
    try:
        stages = cache.get(_key(principal_of(request), name)) or []
    except RedisError:
        stages = []
    return JsonResponse({"stages": stages}, headers={"Cache-Control": "no-store"})


class _Kept:
    """Keeps the stages that have ended. Without Redis it keeps none, and the question goes on."""

    def __init__(self, key: str) -> None:
        self._key = key
        self._stages: list[dict[str, Any]] = []
        self._works = True

    def __call__(self, record: StageRecord) -> None:
        if not self._works or record.status is StageStatus.NOT_CONFIGURED:
            return
        title = STAGES.get(record.stage.value, record.stage.value)
        self._stages.append(
            {
                "title": title,
                "note": _NOTES.get(record.status, ""),
                "elapsed": milliseconds(record.elapsed_ms),
            }
        )
        try:
            cache.set(self._key, self._stages, timeout=_KEPT_S)
        except RedisError as error:
            self._works = False
            logger.warning("the stages of a question can't be shown: %s", type(error).__name__)


def _key(principal: Principal, name: UUID) -> str:
    # The person is in the key: nobody reads of another's question, whatever name they send.
    return f"ask:{principal.tenant_id}:{principal.id}:{name}"


def _name(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
