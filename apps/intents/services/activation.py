"""Putting approved versions in force when their time has come: by the clock, and after a time in which none ran."""

from __future__ import annotations

import logging

from django.db import transaction
from django.utils import timezone

from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.services.versions import policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.intents")


def activate_all_due() -> int:
    """Put every tenant's due versions in force. Returns: how many.

    One that can't be is logged and tried again the next time; it keeps none of another tenant's waiting.
    """
    return sum(activate_due(TenantId(tenant.id)) for tenant in all_tenants())


def activate_due(tenant_id: TenantId) -> int:
    """Put one tenant's due versions in force, in the order of their times: each in a transaction of its own.

    Two workers at once do it once: the second finds the row locked, and leaves it.
    """
    done = 0
    with open_scope(tenant=tenant_id, reason="put approved policies in force"):
        due = PolicyVersion.objects.filter(status=VersionStatus.APPROVED, effective_from__lte=timezone.now())
        for version_id in due.order_by("effective_from", "number").values_list("id", flat=True):
            try:
                with transaction.atomic():
                    approved = PolicyVersion.objects.select_for_update(skip_locked=True, no_key=True).filter(
                        id=version_id, status=VersionStatus.APPROVED
                    )
                    version = approved.first()
                    if version is not None:
                        policy_version_activate(version)
                        done += 1
            except Exception:
                logger.exception("policy version %s of tenant %s can't be put in force", version_id, tenant_id)
    return done
