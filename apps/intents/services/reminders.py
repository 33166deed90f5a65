"""Remind of policy versions that wait for a review: the reviewers and the author, and those above them when it lasts.

The log says when somebody was reminded last, so a reminder is sent once, whichever worker does it and however often.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.utils import timezone

from apps.audit.models import Event
from apps.audit.services import record
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.notices import announce_waiting
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.absences import deputising
from apps.intents.services.notices import notices_write
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

REMINDED: Final = "intents.policy.reminded"
REMIND_AFTER: Final = timedelta(days=3)
ESCALATE_AFTER: Final = timedelta(days=7)
# Between two reminders of one version.
AGAIN_AFTER: Final = timedelta(days=3)
_REASON: Final = "remind of policy versions that wait for a review"


def remind_everybody() -> int:
    """Remind of what has waited too long, tenant by tenant. Returns: how many versions."""
    return each_tenant(remind_of_waiting, doing=Sweep.REVIEWS)


def remind_of_waiting(tenant_id: TenantId) -> int:
    """Remind of one tenant's versions, each in a transaction of its own. Returns: how many versions."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        waiting = PolicyVersion.objects.filter(
            status=VersionStatus.IN_REVIEW, submitted_at__lte=timezone.now() - REMIND_AFTER
        )
        version_ids = list(waiting.order_by("submitted_at", "number").values_list("id", flat=True))
    return sum(_remind(tenant_id, version_id) for version_id in version_ids)


def is_overdue(version: PolicyVersion, now: datetime) -> bool:
    """Return whether a version has waited for its review so long that people are reminded of it."""
    since = version.submitted_at if version.status == VersionStatus.IN_REVIEW else None
    return since is not None and since <= now - REMIND_AFTER


def _remind(tenant_id: TenantId, version_id: UUID) -> bool:
    with open_scope(tenant=tenant_id, reason=_REASON):
        # Whoever has the lock reminds; another worker finds the version locked, or the reminder in the log.
        locked = PolicyVersion.objects.select_for_update(skip_locked=True, no_key=True)
        version: PolicyVersion | None = locked.filter(id=version_id, status=VersionStatus.IN_REVIEW).first()
        now = timezone.now()
        if version is None or version.submitted_at is None or _reminded_since(version, now - AGAIN_AFTER):
            return False
        age = now - version.submitted_at
        escalated = age >= ESCALATE_AFTER
        deputies = [each.sentence for each in deputising(author_id=version.author_id)]
        announce_waiting(version, days=age.days, escalated=escalated, deputies=deputies)
        event = record(
            action=REMINDED,
            core={
                "number": version.number,
                "origin": version.origin,
                "reason": version.reason,
                "author": version.author_label,
                "revision": version.revision,
                "before_sha256": policy_sha256(policy_in_force()),
                "content_sha256": policy_sha256(version_snapshot(version)),
                "waits_days": age.days,
                "escalated": escalated,
            },
            subject_type="policy_version",
            subject_id=version.id,
        )
        notices_write(version, event, escalated=escalated)
        return True


def _reminded_since(version: PolicyVersion, moment: datetime) -> bool:
    """Return whether a reminder of this submission is younger than that; those of earlier submissions don't count."""
    since = max(moment, version.submitted_at) if version.submitted_at else moment
    return bool(Event.objects.filter(action=REMINDED, subject_id=version.id, occurred_at__gte=since).exists())
