"""Data keys: one a tenant and period, made when the first event of the period is written."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from datetime import datetime
from functools import partial
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.audit.digests import epoch
from apps.audit.errors import DataKeyDamagedError
from apps.audit.ids import new_id
from apps.audit.keys.cache import DataKeyInUse, KeyCache
from apps.audit.keys.contracts import KeyProvider, WrappedKey
from apps.audit.models import DataKey
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

KEY_BYTES: Final = 32
# Of a tenant that is being erased: what is recorded from then on, in whatever period, is sealed by the newest of these.
END: Final = "end."
_DOMAIN: Final = b"glassbox.audit.datakey.v1"
_BOUND_DOMAIN: Final = b"glassbox.audit.datakey.v2"

cache = KeyCache()


def key_provider() -> KeyProvider:
    """What GLASSBOX_AUDIT_KEY_PROVIDER names, by dotted path."""
    provider: KeyProvider = import_string(settings.GLASSBOX_AUDIT_KEY_PROVIDER)()
    return provider


def key_context(*, tenant: UUID, key_id: UUID) -> bytes:
    """What is authenticated with a wrapped key: it opens as this tenant's, under this id, alone."""
    return b"\0".join((_DOMAIN, tenant.bytes, key_id.bytes))


def data_key_context(*, tenant: UUID, key_id: UUID, epoch: str, subject_id: UUID | None) -> bytes:
    """What is authenticated with a data key of the log: also for what period it is, and for whom."""
    subject = b"" if subject_id is None else subject_id.bytes
    return b"\0".join((_BOUND_DOMAIN, tenant.bytes, key_id.bytes, epoch.encode(), subject))


def context_of(row: DataKey) -> bytes:
    return data_key_context(tenant=row.tenant_id, key_id=row.id, epoch=row.epoch, subject_id=row.subject_id)


def unwrapped(row: DataKey) -> bytes:
    """The key of a row. One that an earlier release wrapped is bound to tenant and id alone, until it is rotated.

    Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError.
    """
    provider, wrapped = key_provider(), WrappedKey(kek_id=row.kek_id, wrapped=bytes(row.wrapped_key))
    try:
        return provider.unwrap(wrapped, context=context_of(row))
    except DataKeyDamagedError:
        return provider.unwrap(wrapped, context=key_context(tenant=row.tenant_id, key_id=row.id))


def current_data_key(tenant: TenantId, moment: datetime) -> DataKeyInUse:
    """The key that events of this moment are sealed with; made where there is none.

    A period is a calendar quarter, which bounds how much one key seals. Costs: nothing when the process has used it
    lately, else one query; three when it is made.
    """
    period = epoch(moment)
    known = cache.get(tenant, period)
    if known is not None:
        return known
    found = _of_period(period)
    if found is None:
        _make(tenant, period)
        found = _of_period(period)
    if found is None:
        raise AssertionError("a data key was made and is not there")
    key = _unwrapped(found)
    _remember(tenant, (period, str(key.id)), key)
    return key


def end_data_key(tenant: TenantId) -> UUID:
    """Make the key that seals what is recorded from now on of a tenant that is being erased. Returns: its id.

    The earlier ones can go then. Other processes take it up within five minutes (see cache.py); what they seal by an
    earlier one meanwhile keeps that from going.
    """
    made = DataKey.objects.filter(epoch__startswith=END, subject_id=None).count()
    _make(tenant, f"{END}{made + 1}")
    cache.forget(tenant)
    newest = _of_period("")
    if newest is None:
        raise AssertionError("a data key was made and is not there")
    return UUID(str(newest.id))


def subject_data_key(tenant: TenantId, subject_id: UUID) -> DataKeyInUse:
    """A new key of one subject alone: destroying it destroys what it sealed, and nothing else. Costs: one query.

    It is not kept in memory, as those of a tenant are: once it is destroyed, no process opens anything by it.
    """
    id, key = new_id(), secrets.token_bytes(KEY_BYTES)
    period = epoch(timezone.now())
    context = data_key_context(tenant=tenant, key_id=id, epoch=period, subject_id=subject_id)
    wrapped = key_provider().wrap(key, context=context)
    DataKey.objects.create(
        id=id,
        tenant_id=tenant,
        epoch=period,
        subject_id=subject_id,
        kek_id=wrapped.kek_id,
        wrapped_key=wrapped.wrapped,
    )
    return DataKeyInUse(id=id, key=key)


def data_keys(tenant: UUID, ids: Iterable[UUID]) -> dict[UUID, bytes | None]:
    """Unwrapped keys by id; None for one that does not unwrap. Costs: at most one query.

    Raises: KeyEncryptionKeyMissingError: the environment lacks a key-encryption key.
    """
    wanted = set(ids)
    found: dict[UUID, bytes | None] = {}
    for each in wanted:
        known = cache.get(tenant, str(each))
        if known is not None:
            found[each] = known.key
    missing = wanted - found.keys()
    for row in DataKey.objects.filter(id__in=missing) if missing else ():
        try:
            key = _unwrapped(row)
        except DataKeyDamagedError:
            found[row.id] = None
        else:
            found[row.id] = key.key
            if row.subject_id is None:
                _remember(tenant, (str(key.id),), key)
    return found


def _of_period(period: str) -> DataKey | None:
    """That of the period; of a tenant that is being erased, the newest that was made for its end."""
    found = DataKey.objects.filter(Q(epoch=period) | Q(epoch__startswith=END), subject_id=None)
    newest: DataKey | None = max(found, key=lambda each: (each.epoch.startswith(END), each.id), default=None)
    return newest


def _make(tenant: TenantId, period: str) -> None:
    """Two writers at once: the second waits for the first's transaction, and then uses its key."""
    id = new_id()
    context = data_key_context(tenant=tenant, key_id=id, epoch=period, subject_id=None)
    wrapped = key_provider().wrap(secrets.token_bytes(KEY_BYTES), context=context)
    row = DataKey(id=id, tenant_id=tenant, epoch=period, kek_id=wrapped.kek_id, wrapped_key=wrapped.wrapped)
    # Whoever's event comes first: the key is everybody's, and no person's token may make one.
    with open_scope(tenant=tenant, scopes=[], reason="make a data key of the log"):
        DataKey.objects.bulk_create([row], ignore_conflicts=True)


def _unwrapped(row: DataKey) -> DataKeyInUse:
    return DataKeyInUse(id=row.id, key=unwrapped(row))


def _remember(tenant: UUID, names: tuple[str, ...], key: DataKeyInUse) -> None:
    # Not before the transaction is sure: a key that was made in it and rolled back must not seal a later event.
    transaction.on_commit(partial(cache.put, tenant, names, key))
