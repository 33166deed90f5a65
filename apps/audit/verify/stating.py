"""What a verification found, stated where whoever writes to the database can't: beside the exported checkpoints.

A row of a verification has the note as well, and the worker's signature makes it out of reach for whoever has no key.
But an old note that said "intact" can be copied into new rows, over the one that found something. So the newest note
of each tenant is exported, and that one alone is judged where there is one. The cache holds what the place said, for a
page that asks of all tenants at once.
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
# Where the place had nothing, it is asked again as often.
_NOTHING_S: Final = 60


def export_statement(tenant_id: UUID, note: str) -> None:
    """What can't be exported is logged, and an alarm from the next night on: the note that is there grows old."""
    try:
        checkpoint_place().put(f"{ORIGIN}/{tenant_id}", LATEST, note)
    except CheckpointExportError as error:
        logger.error("the verification of tenant %s counts for nobody: %s", tenant_id, error)  # noqa: TRY400
        return
    _remember(tenant_id, note)


def exported_statements(tenant_ids: Iterable[UUID]) -> Mapping[UUID, str]:
    """The newest exported note of each tenant that has one. Raises: CheckpointExportError.

    Costs: one look into the cache, and a look at the place for each tenant that it knows nothing of.
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
