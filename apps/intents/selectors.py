"""Reading policies: which version was in force, as an immutable snapshot."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from threading import Lock
from typing import Any, Final
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import NoPolicyInForceError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.snapshots.rows import read_rows
from apps.intents.standing import by_time, in_force_at, is_settled
from apps.tenants.context import current_scope

# Only the status and validity of a version that is not a draft change, so its content may be cached. A version that is
# sent back becomes a draft again; its revision distinguishes its contents.
_KEPT: Final = 256
_snapshots: dict[tuple[UUID, UUID, int, str, datetime | None], PolicySnapshot] = {}
_lock = Lock()


def policy_in_force(at: datetime | None = None) -> PolicySnapshot:
    """Return the open tenant's policy, now or at an instant in the past, by the times of the approved versions.

    Args:    at: aware; None for now.
    Raises:  NoPolicyInForceError: none was in force; NoScopeError: no scope is open.
    Costs:   one query, five more the first time that this process reads the version.
    """
    tenant_id = current_scope().tenant_id
    version = in_force_at(PolicyVersion.objects.filter(tenant_id=tenant_id), at)
    if version is None:
        raise NoPolicyInForceError(tenant_id=tenant_id, at=(at or timezone.now()).isoformat())
    return version_snapshot(version)


def version_snapshot(version: PolicyVersion) -> PolicySnapshot:
    """Return a version of the open tenant as a value; a draft is read again each time.

    Raises: PolicyVersion.DoesNotExist: it is another tenant's. The check is here because row-level security does not
            protect the cache.
    """
    return version_snapshots([version])[version.id]


def version_snapshots(versions: Iterable[PolicyVersion]) -> dict[UUID, PolicySnapshot]:
    """Return versions of the open tenant as values, by their ids. Raises as version_snapshot does.

    Costs: five queries, however many versions this process has not read before; none if it has read them all. One more
           if there are rows of approved or active versions, because these rows alone do not show the current status.
    """
    found: dict[UUID, PolicySnapshot] = {}
    unread: list[PolicyVersion] = []
    for version in _by_time(versions):
        with _lock:
            known = _snapshots.get(_key(version))
        if known is None:
            unread.append(version)
        else:
            found[version.id] = known
    read = read_rows(unread) if unread else {}
    for version in unread:
        if version.status != VersionStatus.DRAFT:
            _keep(version, read[version.id])
    return found | read


def policy_versions() -> QuerySet[Any]:
    """Return the open tenant's versions with their current status, newest first."""
    return by_time(PolicyVersion.objects.order_by("-number"))


def _by_time(versions: Iterable[PolicyVersion]) -> list[PolicyVersion]:
    tenant_id, given = current_scope().tenant_id, list(versions)
    for version in given:
        if version.tenant_id != tenant_id:
            raise PolicyVersion.DoesNotExist(f"there is no policy version {version.id}")
    rows = [version.id for version in given if not is_settled(version)]
    settled = {each.id: each for each in by_time(PolicyVersion.objects.filter(id__in=rows))} if rows else {}
    return [settled.get(version.id, version) for version in given]


def _key(version: PolicyVersion) -> tuple[UUID, UUID, int, str, datetime | None]:
    """Return the cache key, which includes status and validity: they change when the next version takes effect."""
    return version.tenant_id, version.id, version.revision, version.status, version.valid_to


def _keep(version: PolicyVersion, snapshot: PolicySnapshot) -> None:
    with _lock:
        while len(_snapshots) >= _KEPT:
            _snapshots.pop(next(iter(_snapshots)))
        _snapshots[_key(version)] = snapshot
