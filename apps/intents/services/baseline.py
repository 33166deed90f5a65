"""Give a tenant its first policy: the packs with which it is made."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from apps.intents.baseline import baseline_snapshot
from apps.intents.models import PolicyVersion, VersionOrigin
from apps.intents.packs.catalogue import DEFAULT_PACKS
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import current_scope


def baseline_install(packs: Sequence[str] = DEFAULT_PACKS) -> PolicyVersion:
    """Put shipped packs in force as version 1 of the open tenant.

    If the tenant already has a version 1, write and record nothing.

    Returns: version 1.
    Raises:  NoScopeError: no scope is open.
             UnknownPackError, PacksCollideError.
    """
    context = current_scope()
    with transaction.atomic():
        known = PolicyVersion.objects.filter(tenant_id=context.tenant_id, number=1).first()
        if known is not None:
            existing: PolicyVersion = known
            return existing
        snapshot = baseline_snapshot(packs)
        draft = policy_draft_create(snapshot=snapshot, number=1, origin=VersionOrigin.BASELINE, reason=snapshot.reason)
        return policy_version_activate(draft)


def give_first_policy(packs: Sequence[str]) -> None:
    """Install packs, or the default ones if none is named, in the transaction that creates the tenant."""
    baseline_install(packs or DEFAULT_PACKS)
