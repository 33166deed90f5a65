"""Give a tenant the shipped baseline as its first policy."""

from __future__ import annotations

from django.db import transaction

from apps.intents.baseline import BASELINE_REASON, baseline_snapshot
from apps.intents.models import PolicyVersion, VersionOrigin
from apps.intents.services.versions import policy_draft_create, policy_version_activate
from apps.tenants.context import current_scope
from apps.tenants.models import Tenant


def baseline_install() -> PolicyVersion:
    """Put the baseline in force as version 1 of the open tenant.

    If the tenant already has a version 1, write and record nothing.

    Returns: version 1.
    Raises:  NoScopeError: no scope is open.
    """
    context = current_scope()
    with transaction.atomic():
        known = PolicyVersion.objects.filter(tenant_id=context.tenant_id, number=1).first()
        if known is not None:
            existing: PolicyVersion = known
            return existing
        draft = policy_draft_create(
            snapshot=baseline_snapshot(), number=1, origin=VersionOrigin.BASELINE, reason=BASELINE_REASON
        )
        return policy_version_activate(draft)


def give_baseline(tenant: Tenant) -> None:
    """Install the baseline in the transaction that creates the tenant, with its scope open, so that it has a policy."""
    baseline_install()
