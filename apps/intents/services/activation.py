"""Record that approved versions came into force, at their time or after an outage of the scheduler.

A version is in force from its time on, whether or not this was recorded (apps/intents/standing.py).
"""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import DatabaseError

from apps.errors import ApplicationError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.services.versions import policy_version_activate
from apps.intents.standing import IS_DUE
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

logger = logging.getLogger("glassbox.intents")

_REASON = "record which policies came into force"


def activate_all_due() -> int:
    """Record every tenant's due versions. Returns: how many.

    A version that can't be recorded is logged and tried again at the next run. Later versions of the same tenant wait
    for it; other tenants are not affected.
    """
    return each_tenant(activate_due, doing=Sweep.POLICIES)


def activate_due(tenant_id: TenantId, *, but: UUID | None = None) -> int:
    """Record one tenant's due versions in the order of their times, each in a separate transaction.

    If two workers run at once, each version is recorded once: the second worker finds the row locked and stops.
    Args: but: a version to skip, because the caller records it.
    """
    with open_scope(tenant=tenant_id, reason=_REASON):
        due = PolicyVersion.objects.filter(IS_DUE).exclude(id=but)
        version_ids = list(due.order_by("effective_from", "number").values_list("id", flat=True))
    done = 0
    for version_id in version_ids:
        if not _activate(tenant_id, version_id):
            break
        done += 1
    return done


def _activate(tenant_id: TenantId, version_id: UUID) -> bool:
    try:
        with open_scope(tenant=tenant_id, reason=_REASON):
            approved = PolicyVersion.objects.select_for_update(skip_locked=True, no_key=True)
            version = approved.filter(id=version_id, status=VersionStatus.APPROVED).first()
            if version is None:
                return False
            policy_version_activate(version)
    except (ApplicationError, DatabaseError) as error:
        # Do not log the message: a database error may quote a row.
        logger.error(  # noqa: TRY400
            "policy version %s of tenant %s can't be recorded as in force: %s",
            version_id,
            tenant_id,
            type(error).__name__,
        )
        return False
    return True
