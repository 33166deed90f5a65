"""Data keys: one for each tenant and period, made when the first event of the period is written."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import partial
from typing import Any, Final, TypeGuard
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.audit.digests import epoch
from apps.audit.errors import DataKeyDamagedError
from apps.audit.ids import new_id
from apps.audit.keys.cache import DataKeyInUse, KeyCache, Reading
from apps.audit.keys.contracts import KeyProvider, WrappedKey
from apps.audit.models import DataKey
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

KEY_BYTES: Final = 32
# The prefix of the epochs of a tenant that is being erased. The newest of these keys seals all events recorded from
# then on, whatever their period.
END: Final = "end."
_DOMAIN: Final = b"glassbox.audit.datakey.v1"
_BOUND_DOMAIN: Final = b"glassbox.audit.datakey.v2"

cache = KeyCache()


def key_provider() -> KeyProvider:
    """Return the provider that GLASSBOX_AUDIT_KEY_PROVIDER names by its dotted path."""
    provider: KeyProvider = import_string(settings.GLASSBOX_AUDIT_KEY_PROVIDER)()
    return provider


def key_context(*, tenant: UUID, key_id: UUID) -> bytes:
    """Return the bytes that are authenticated with a wrapped key: it opens only for this tenant and under this id."""
    return b"\0".join((_DOMAIN, tenant.bytes, key_id.bytes))


def data_key_context(*, tenant: UUID, key_id: UUID, epoch: str, subject_id: UUID | None) -> bytes:
    """Return the bytes that are authenticated with a data key of the log, which also bind its period and subject."""
    subject = b"" if subject_id is None else subject_id.bytes
    return b"\0".join((_BOUND_DOMAIN, tenant.bytes, key_id.bytes, epoch.encode(), subject))


def context_of(row: DataKey) -> bytes:
    return data_key_context(tenant=row.tenant_id, key_id=row.id, epoch=row.epoch, subject_id=row.subject_id)


def unwrapped(row: DataKey) -> bytes:
    """Return the key of a row.

    A key that an earlier release wrapped is bound only to tenant and id, until it is rotated.

    Raises: KeyEncryptionKeyMissingError, DataKeyDamagedError.
    """
    provider, wrapped = key_provider(), WrappedKey(kek_id=row.kek_id, wrapped=bytes(row.wrapped_key))
    try:
        return provider.unwrap(wrapped, context=context_of(row))
    except DataKeyDamagedError:
        return provider.unwrap(wrapped, context=key_context(tenant=row.tenant_id, key_id=row.id))


def current_data_key(tenant: TenantId, moment: datetime) -> DataKeyInUse:
    """Return the key that events of this moment are sealed with, and make it if it does not exist.

    A period is a calendar quarter, which bounds how much one key seals.

    Costs: nothing when the process has used the key lately, or the transaction has, else one query; three when the key
           is made.
    """
    period = epoch(moment)
    known = cache.get(tenant, period) or _used_in_transaction(tenant, period)
    if known is not None:
        return known
    read = cache.reading()
    found = _of_period(period)
    if found is None:
        _make(tenant, period)
        found = _of_period(period)
    if found is None:
        raise AssertionError("a data key was made and is not there")
    key = _unwrapped(found)
    _remember(tenant, (period, str(key.id)), key, read)
    return key


def end_data_key(tenant: TenantId) -> UUID:
    """Make the key that seals what is recorded from now on for a tenant that is being erased. Returns: the key's id.

    The earlier keys can then be destroyed. Other processes use the new key within five minutes (see cache.py). A key
    that they seal events with in the meantime can't be destroyed yet.
    """
    made = DataKey.objects.filter(epoch__startswith=END, subject_id=None).count()
    _make(tenant, f"{END}{made + 1}")
    forget_keys(tenant)
    newest = _of_period("")
    if newest is None:
        raise AssertionError("a data key was made and is not there")
    return UUID(str(newest.id))


def subject_data_key(tenant: TenantId, subject_id: UUID) -> DataKeyInUse:
    """Make a new key for one subject. Destroying it destroys what it sealed, and nothing else. Costs: one query.

    Unlike the keys of a tenant, it is not kept in memory: once it is destroyed, no process opens anything with it.
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


def forget_keys(tenant: UUID) -> None:
    """Forget the tenant's keys in this process, and in the transaction, which would remember them at its commit."""
    cache.forget(tenant)
    connection.run_on_commit = [entry for entry in connection.run_on_commit if not _is_remembering(entry[1], tenant)]


def data_keys(tenant: UUID, ids: Iterable[UUID]) -> dict[UUID, bytes | None]:
    """Return unwrapped keys by id, with None for a key that does not unwrap. Costs: at most one query.

    Raises: KeyEncryptionKeyMissingError: the environment lacks a key-encryption key.
    """
    wanted = set(ids)
    found: dict[UUID, bytes | None] = {}
    for each in wanted:
        known = cache.get(tenant, str(each)) or _used_in_transaction(tenant, str(each))
        if known is not None:
            found[each] = known.key
    missing, read = wanted - found.keys(), cache.reading()
    for row in DataKey.objects.filter(id__in=missing) if missing else ():
        try:
            key = _unwrapped(row)
        except DataKeyDamagedError:
            found[row.id] = None
        else:
            found[row.id] = key.key
            if row.subject_id is None:
                _remember(tenant, (str(key.id),), key, read)
    return found


def _of_period(period: str) -> DataKey | None:
    """Return the key of the period, or for a tenant that is being erased the newest key that was made for its end."""
    found = DataKey.objects.filter(Q(epoch=period) | Q(epoch__startswith=END), subject_id=None)
    newest: DataKey | None = max(found, key=lambda each: (each.epoch.startswith(END), each.id), default=None)
    return newest


def _make(tenant: TenantId, period: str) -> None:
    """Make the key of a period.

    Of two concurrent writers, the second waits for the first's transaction and then uses its key.
    """
    id = new_id()
    context = data_key_context(tenant=tenant, key_id=id, epoch=period, subject_id=None)
    wrapped = key_provider().wrap(secrets.token_bytes(KEY_BYTES), context=context)
    row = DataKey(id=id, tenant_id=tenant, epoch=period, kek_id=wrapped.kek_id, wrapped_key=wrapped.wrapped)
    # The scope is the system's and not the acting person's: the key serves every member of the tenant, and no person's
    # token may make one.
    with open_scope(tenant=tenant, scopes=[], reason="make a data key of the log"):
        DataKey.objects.bulk_create([row], ignore_conflicts=True)


def _unwrapped(row: DataKey) -> DataKeyInUse:
    return DataKeyInUse(id=row.id, key=unwrapped(row))


def _remember(tenant: UUID, names: tuple[str, ...], key: DataKeyInUse, read: Reading) -> None:
    # Cache the key only after the commit: a key that was made in a transaction and rolled back must not seal a later
    # event.
    transaction.on_commit(partial(cache.put, tenant, names, key, read))


def _used_in_transaction(tenant: UUID, name: str) -> DataKeyInUse | None:
    """Return a key that waits to be remembered. Django drops what waits when its savepoint is rolled back."""
    for entry in connection.run_on_commit:
        call = entry[1]
        if _is_remembering(call, tenant) and name in call.args[1] and cache.still_holds(call.args[3]):
            found: DataKeyInUse = call.args[2]
            return found
    return None


def _is_remembering(call: Callable[..., Any], tenant: UUID) -> TypeGuard[partial[None]]:
    return isinstance(call, partial) and call.func == cache.put and call.args[0] == tenant
