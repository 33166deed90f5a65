"""Record that the first of two approvals has lapsed, and tell the author and the reviewers.

An approval counts no longer as soon as its giver may not approve any more, whether or not that is recorded: by a role
that ended, by the end of a membership, or by an erasure.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.selectors import readings_of
from apps.audit.services import record
from apps.intents.events import APPROVAL_LAPSED
from apps.intents.models import PolicyApproval, PolicyVersion, VersionStatus
from apps.intents.notices import announce_lapse
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.approvals import approvals_missing, lapsed_of
from apps.intents.services.notices import notices_write
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_tenant

_REASON: Final = "record approvals that lapsed"


def record_all_lapses() -> int:
    """Record what has lapsed, tenant by tenant. Returns: how many approvals."""
    return each_tenant(record_lapses, doing=Sweep.LAPSES)


def record_lapses(tenant_id: TenantId) -> int:
    """Record what has lapsed in one tenant, each version in a transaction of its own. Returns: how many approvals."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        approved = PolicyVersion.objects.filter(status=VersionStatus.IN_REVIEW, approvals__isnull=False)
        version_ids = sorted(set(approved.values_list("id", flat=True)))
    return sum(_record(tenant_id, version_id) for version_id in version_ids)


def _record(tenant_id: TenantId, version_id: UUID) -> int:
    with open_scope(tenant=tenant_id, reason=_REASON):
        # Whoever has the lock records; another worker finds the version locked, or the event in the log.
        locked = PolicyVersion.objects.select_for_update(skip_locked=True, no_key=True)
        version: PolicyVersion | None = locked.filter(id=version_id, status=VersionStatus.IN_REVIEW).first()
        if version is None or not (lapsed := lapsed_of(version)):
            return 0
        recorded = _recorded(version)
        new = [approval for approval in lapsed if str(approval.id) not in recorded]
        for approval in new:
            notices_write(version, _event(version, approval))
        if new:
            announce_lapse(version, missing=approvals_missing(version))
        return len(new)


def _recorded(version: PolicyVersion) -> set[str]:
    """The ids of the approvals whose lapse stands in the log."""
    events = list(Event.objects.filter(action=APPROVAL_LAPSED, subject_id=version.id))
    told = readings_of(events, groups=(Group.CORE,))
    return {str(told[event.id].payload[Group.CORE]["approval_id"]) for event in events}


def _event(version: PolicyVersion, approval: PolicyApproval) -> Event:
    return record(
        action=APPROVAL_LAPSED,
        core={
            "number": version.number,
            "origin": version.origin,
            "reason": version.reason,
            "author": version.author_label,
            "revision": version.revision,
            "approval_id": str(approval.id),
            "user_id": str(approval.approver_id),
            "before_sha256": policy_sha256(policy_in_force()),
            "content_sha256": policy_sha256(version_snapshot(version)),
        },
        subject_type="policy_version",
        subject_id=version.id,
    )
