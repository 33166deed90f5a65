"""The approvals of a revision: one of each reviewer, as many as the version in force asks for."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from apps.intents.errors import AlreadyApprovedError, FirstOfTwoError, FollowerTakesTwoError
from apps.intents.models import PolicyApproval, PolicyVersion, VersionStatus
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.two_reviewers import two_wanted_for
from apps.tenants.context import current_scope
from apps.tenants.models import Membership
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.roles import PERMISSIONS, Permission, Role
from apps.tenants.second_person import require_second_person


def approvals_of(version: PolicyVersion) -> list[PolicyApproval]:
    """Return who has approved the version's current revision, the first one first.

    While it is in review, only approvals against the version in force count: against another, it changes other things.
    And only those whose givers may approve still (lapsed_of has the others).
    """
    if version.status != VersionStatus.IN_REVIEW:
        return list(version.approvals.filter(revision=version.revision).order_by("created_at", "id"))
    return list(_given(version).filter(_stands()))


def lapsed_of(version: PolicyVersion) -> list[PolicyApproval]:
    """Return the approvals of a version in review that count no longer, because their givers may not approve any more.

    Neither a role that is given again brings one back, nor an account that is opened again: as sql/lapsed.sql has it.
    """
    return list(_given(version).exclude(_stands())) if version.status == VersionStatus.IN_REVIEW else []


def approvals_missing(version: PolicyVersion) -> int:
    """Return how many more approvals a version in review waits for."""
    required, given = approvals_asked(version)
    return required - given


def approvals_asked(version: PolicyVersion) -> tuple[int, int]:
    """Return how many approvals a version in review takes, and how many it has; 0 and 0 for others.

    One whose first approval has lapsed takes two: whoever gave it read that it would.
    """
    if version.status != VersionStatus.IN_REVIEW:
        return 0, 0
    return 2 if two_wanted(version) or lapsed_of(version) else 1, len(approvals_of(version))


def two_wanted(version: PolicyVersion) -> str:
    """Return for what two reviewers are asked of this version, in words; empty where one suffices.

    By the version in force, and by each that is approved and waits for its time: it may come before this one.
    """
    own = version_snapshot(version)
    rules = (policy_in_force(), *(version_snapshot(each) for each in _waiting(version)))
    return next((words for each in rules if (words := two_wanted_for(each, own))), "")


def approval_write(version: PolicyVersion, *, note: str, effective_from: datetime | None) -> bool:
    """Write the principal's approval of a locked version in review. Returns: whether it now has all that it needs.

    Raises: PermissionDeniedError: the principal's role or account has ended since they signed in;
            AlreadyApprovedError; FirstOfTwoError; FollowerTakesTwoError: a version that is approved to follow would
            take two after this one; what require_second_person raises, against the other approver.
    """
    principal = current_scope().principal
    # Approvals of a tenant take turns by this lock, as the database has them do: what is checked here then still holds.
    PolicyVersion.objects.select_for_update(no_key=True).filter(status=VersionStatus.ACTIVE).first()
    if principal.id is None or not _reviewing().filter(user_id=principal.id).exists():
        # As whoever has no role that approves.
        replace(principal, roles=frozenset()).require(Permission.POLICY_APPROVE)
    if any(given.approver_id == principal.id for given in _given(version)):
        raise AlreadyApprovedError(number=version.number)
    others = approvals_of(version)
    for other in others:
        require_second_person(other.approver_id)
    _require_followers(version, effective_from)
    suffices = bool(others) or approvals_missing(version) == 1
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


def _given(version: PolicyVersion) -> QuerySet[PolicyApproval]:
    """The approvals of the current revision against the version in force."""
    found = version.approvals.filter(revision=version.revision, against_id=policy_in_force().version_id)
    return found.order_by("created_at", "id")


def _stands() -> Exists:
    """The condition that whoever gave an approval has had a role that approves, and been active, since before it."""
    held = _reviewing().filter(user_id=OuterRef("approver_id"), confirmed_at__lte=OuterRef("created_at"))
    active_since = Q(user__opened_again_at__isnull=True) | Q(user__opened_again_at__lte=OuterRef("created_at"))
    return Exists(held.filter(active_since))


def _reviewing() -> QuerySet[Membership]:
    """The memberships by which people may approve now. sql/approvers.sql says the same."""
    roles = [role for role in Role if Permission.POLICY_APPROVE in PERMISSIONS[role]]
    found: QuerySet[Membership] = Membership.objects.filter(IN_FORCE, role__in=roles, user__is_active=True)
    return found


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
