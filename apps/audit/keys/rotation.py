"""A new key-encryption key: the data keys are wrapped again, and no payload is touched."""

from __future__ import annotations

from apps.audit.keys.data_keys import context_of, key_provider, unwrapped
from apps.audit.models import DataKey
from apps.audit.services import record


def rewrap_data_keys() -> int:
    """Wrap the open tenant's data keys under the newest key-encryption key, and record it. Can be repeated.

    As glassbox_worker: no other role that runs anything may change a data key's row. Returns: how many were wrapped
    anew. Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError.
    """
    provider = key_provider()
    newest = provider.current_id
    rewrapped = 0
    for row in DataKey.objects.exclude(kek_id=newest).order_by("id"):
        wrapped = provider.wrap(unwrapped(row), context=context_of(row))
        # Another rotation may have been there first.
        rewrapped += DataKey.objects.filter(id=row.id, kek_id=row.kek_id).update(
            kek_id=wrapped.kek_id, wrapped_key=wrapped.wrapped
        )
    if rewrapped:
        record(action="audit.data_keys.rewrapped", core={"kek_id": newest, "rewrapped": rewrapped})
    return rewrapped
