"""The approvals of a revision: one of each reviewer, as many as the version in force asks for."""

from __future__ import annotations

from datetime import datetime

from apps.intents.errors import AlreadyApprovedError, FirstOfTwoError
from apps.intents.models import PolicyApproval, PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.two_reviewers import two_wanted_for
from apps.tenants.context import current_scope
from apps.tenants.second_person import require_second_person


def approvals_of(version: PolicyVersion) -> list[PolicyApproval]:
    """Return who has approved the version's current revision, the first one first.

    While it is in review, only approvals against the version in force count: against another, it changes other things.
    """
    found = version.approvals.filter(revision=version.revision)
    if version.status == VersionStatus.IN_REVIEW:
        found = found.filter(against_id=policy_in_force().version_id)
    return list(found.order_by("created_at", "id"))


def two_wanted(version: PolicyVersion) -> str:
    """Return for what the version in force asks two reviewers of this version, in words; empty where one suffices."""
    return two_wanted_for(policy_in_force(), version_snapshot(version))


def approval_write(version: PolicyVersion, *, note: str, effective_from: datetime | None) -> bool:
    """Write the principal's approval of a locked version in review. Returns: whether it now has all that it needs.

    Raises: AlreadyApprovedError; FirstOfTwoError; what require_second_person raises, against the other approver.
    """
    principal = current_scope().principal
    others = approvals_of(version)
    if any(other.approver_id == principal.id for other in others):
        raise AlreadyApprovedError(number=version.number)
    for other in others:
        require_second_person(other.approver_id)
    suffices = bool(others) or not two_wanted(version)
    if not suffices and effective_from is not None:
        raise FirstOfTwoError(number=version.number)
    PolicyApproval.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        revision=version.revision,
        approver_id=principal.id,
        approver_label=principal.label[:255],
        note=note,
    )
    return suffices
