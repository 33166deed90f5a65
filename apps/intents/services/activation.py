"""Putting approved versions in force when their time has come: by the clock, and after a time in which none ran."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import DatabaseError
from django.db.models.functions import Now

from apps.errors import ApplicationError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.services.versions import policy_version_activate
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.intents")

_REASON = "put approved policies in force"


def activate_all_due() -> int:
    """Put every tenant's due versions in force. Returns: how many.

    One that can't be is logged and tried again the next time; neither another version nor another tenant waits for it.
    """
    return sum(activate_due(TenantId(tenant.id)) for tenant in all_tenants())


def activate_due(tenant_id: TenantId) -> int:
    """Put one tenant's due versions in force, in the order of their times: each in a transaction of its own.

    Two workers at once do it once: the second finds the row locked, and leaves it.
    """
    with open_scope(tenant=tenant_id, reason=_REASON):
        due = PolicyVersion.objects.filter(status=VersionStatus.APPROVED, effective_from__lte=Now())
        version_ids = list(due.order_by("effective_from", "number").values_list("id", flat=True))
    return sum(_activate(tenant_id, version_id) for version_id in version_ids)


def _activate(tenant_id: TenantId, version_id: UUID) -> bool:
    try:
        with open_scope(tenant=tenant_id, reason=_REASON):
            approved = PolicyVersion.objects.select_for_update(skip_locked=True, no_key=True)
            version = approved.filter(id=version_id, status=VersionStatus.APPROVED).first()
            if version is None:
                return False
            policy_version_activate(version)
    except (ApplicationError, DatabaseError) as error:
        # Not its message: a database's may quote a row.
        logger.error(  # noqa: TRY400
            "policy version %s of tenant %s can't be put in force: %s", version_id, tenant_id, type(error).__name__
        )
        return False
    return True
