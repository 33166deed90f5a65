"""Export what a verification found to where a writer to the database can't change it: beside the exported checkpoints.

The row of a verification has the note as well, and nobody without the worker's key can forge it. But an old note that
said "intact" could be copied into new rows, over the one that found something. So the newest note of each tenant is
exported, and if there is one, only that note is judged. The cache holds the content of the place, for a page that shows
all tenants at once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Final
from uuid import UUID

from django.core.cache import cache
from redis.exceptions import RedisError

from apps.audit.errors import CheckpointExportError
from apps.audit.log.export.contracts import LATEST, checkpoint_place
from apps.audit.verify.statements import ORIGIN

logger = logging.getLogger("glassbox.audit")

_KEY: Final = "audit:verified:{}"
# If the place had no note, it is asked again after this time.
_NOTHING_S: Final = 60


def export_statement(tenant_id: UUID, note: str) -> None:
    """Export the note. A failure is logged; from the next night on it raises an alarm, since the exported note ages."""
    try:
        checkpoint_place().put(f"{ORIGIN}/{tenant_id}", LATEST, note)
    except CheckpointExportError as error:
        logger.error("the verification of tenant %s counts for nobody: %s", tenant_id, error)  # noqa: TRY400
        return
    _remember(tenant_id, note)


def exported_statements(tenant_ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """Return the newest exported note of each tenant that has one. Raises: CheckpointExportError.

    Costs: one read of the cache, and one read of the place for each tenant that the cache lacks.
    """
    keys = {_KEY.format(tenant_id): tenant_id for tenant_id in tenant_ids}
    try:
        known = {keys[key]: str(note) for key, note in cache.get_many(list(keys)).items()}
    except RedisError:
        known = {}
    for tenant_id in keys.values():
        if tenant_id not in known:
            known[tenant_id] = checkpoint_place().get(f"{ORIGIN}/{tenant_id}", LATEST) or ""
            _remember(tenant_id, known[tenant_id])
    return {tenant_id: note for tenant_id, note in known.items() if note}


def _remember(tenant_id: UUID, note: str) -> None:
    try:
        cache.set(_KEY.format(tenant_id), note, timeout=None if note else _NOTHING_S)
    except RedisError as error:
        logger.warning("what a verification found is asked of its place every time: %s", type(error).__name__)
