"""The approvals of a revision: one of each reviewer, as many as the version in force asks for."""

from __future__ import annotations

from datetime import datetime

from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from apps.intents.errors import AlreadyApprovedError, FirstOfTwoError, FollowerTakesTwoError
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
    """Return for what two reviewers are asked of this version, in words; empty where one suffices.

    By the version in force, and by each that is approved and waits for its time: it may come before this one.
    """
    own = version_snapshot(version)
    rules = (policy_in_force(), *(version_snapshot(each) for each in _waiting(version)))
    return next((words for each in rules if (words := two_wanted_for(each, own))), "")


def approval_write(version: PolicyVersion, *, note: str, effective_from: datetime | None) -> bool:
    """Write the principal's approval of a locked version in review. Returns: whether it now has all that it needs.

    Raises: AlreadyApprovedError; FirstOfTwoError; FollowerTakesTwoError: a version that is approved to follow would
            take two after this one; what require_second_person raises, against the other approver.
    """
    principal = current_scope().principal
    # Approvals of a tenant take turns by this lock, as the database has them do: what is checked here then still holds.
    PolicyVersion.objects.select_for_update(no_key=True).filter(status=VersionStatus.ACTIVE).first()
    others = approvals_of(version)
    if any(other.approver_id == principal.id for other in others):
        raise AlreadyApprovedError(number=version.number)
    for other in others:
        require_second_person(other.approver_id)
    _require_followers(version, effective_from)
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


def _require_followers(version: PolicyVersion, effective_from: datetime | None) -> None:
    """Require that what was approved to follow this version has as many reviewers as it takes after this one."""
    own = version_snapshot(version)
    begins = effective_from or timezone.now(), version.number
    for follower in _waiting(version):
        follows = begins < (follower.effective_from, follower.number)
        if follows and two_wanted_for(own, version_snapshot(follower)) and not _is_approved_by_two(follower):
            raise FollowerTakesTwoError(number=version.number, follower=follower.number)


def _is_approved_by_two(version: PolicyVersion) -> bool:
    if version.approver_id is None:
        return False
    approvals = version.approvals.filter(revision=version.revision)
    own = approvals.filter(approver_id=version.approver_id)
    return approvals.filter(against_id__in=own.values("against_id")).exclude(approver_id=version.approver_id).exists()


def _waiting(version: PolicyVersion) -> QuerySet[PolicyVersion]:
    waiting = PolicyVersion.objects.filter(status=VersionStatus.APPROVED, effective_from__gt=Now())
    return waiting.exclude(id=version.id).order_by("effective_from", "number")
