"""How far a tenant's checkpoints were exported, for the pages.

The state is in the cache only, because the place itself is authoritative.
"""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.audit")

_KEY: Final = "audit:export:{tenant}"
_ATTESTING: Final = "audit:attesting:{tenant}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportState:
    """size, at: of the newest exported checkpoint, None before the first. problem: the code of a later failure."""

    size: int | None = None
    at: datetime | None = None
    problem: str = ""


def export_state(tenant_id: TenantId) -> ExportState:
    """Return the known state; it is empty after the cache was cleared, until the next run."""
    try:
        found = cache.get(_KEY.format(tenant=tenant_id))
    except RedisError:
        found = None
    return ExportState(**found) if found else ExportState()


def note_exported(tenant_id: TenantId, *, size: int) -> None:
    _note(tenant_id, ExportState(size=size or None, at=timezone.now()))


def note_problem(tenant_id: TenantId, *, code: str) -> None:
    known = export_state(tenant_id)
    _note(tenant_id, ExportState(size=known.size, at=known.at, problem=code))


def note_attesting(tenant_id: TenantId, *, problems: dict[str, str]) -> None:
    """Note who did not attest the newest checkpoint at the last attempt, and why."""
    try:
        cache.set(_ATTESTING.format(tenant=tenant_id), problems, timeout=None)
    except RedisError as error:
        logger.warning("who did not attest a checkpoint can't be shown: %s", type(error).__name__)


def attesting_problems(tenant_id: TenantId) -> dict[str, str]:
    try:
        return dict(cache.get(_ATTESTING.format(tenant=tenant_id)) or {})
    except RedisError:
        return {}


def _note(tenant_id: TenantId, state: ExportState) -> None:
    try:
        cache.set(_KEY.format(tenant=tenant_id), asdict(state), timeout=None)
    except RedisError as error:
        logger.warning("how far checkpoints were exported can't be shown: %s", type(error).__name__)
