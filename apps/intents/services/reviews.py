"""Review a policy version: its author submits it, another person decides on it and says from when it is in force."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.intents.errors import InvalidMomentError, InvalidPolicyError, SamePolicyError
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.notices import announce_submission
from apps.intents.proof.invariants import earlier_problems
from apps.intents.registry import announce_submitted
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.activation import activate_due
from apps.intents.services.approvals import approval_write
from apps.intents.services.checking import Checked, require_accuracy
from apps.intents.services.discussion import comment_write, require_editor_or_reviewer
from apps.intents.services.drafts import own_draft, require_person, require_reason
from apps.intents.services.notices import notices_write
from apps.intents.services.proofs import proof_store, require_proof
from apps.intents.services.replacing import against
from apps.intents.services.stepping import not_withdrawable, require_version_step
from apps.intents.services.successor import require_successor
from apps.intents.services.versions import policy_version_activate
from apps.intents.standing import IS_DUE
from apps.intents.validation import require_valid
from apps.tenants.context import current_scope
from apps.tenants.flows.checks import require_permission
from apps.tenants.ids import TenantId


def version_submit(version_id: UUID, *, revision: int, checked: Checked) -> PolicyVersion:
    """Submit a draft to the reviewers. From then on it does not change.

    Args:   revision: the revision of the draft that the caller read. The database gives the submitted version the next.
            checked: of this revision, computed outside of the transaction (version_checked).
    Raises: PermissionDeniedError, PersonNeededError, NotADraftError, NotTheAuthorError, VersionChangedError;
            InvalidPolicyError: the content is invalid, with all problems; SamePolicyError: the content is that of the
            version in force; ReplacedMeanwhileError: another version came into force; the errors of require_accuracy.
    """
    with transaction.atomic():
        version = own_draft(version_id, step="submit", revision=revision)
        snapshot = version_snapshot(version)
        in_force = policy_in_force()
        require_valid(snapshot, in_force)
        require_successor(snapshot)
        if policy_sha256(snapshot) == policy_sha256(in_force):
            raise SamePolicyError(number=version.number)
        require_accuracy(version, checked)
        with against(in_force, version):
            version.status = VersionStatus.IN_REVIEW
            version.submitted_at = timezone.now()
            version.save(update_fields=["status", "submitted_at"])
            version.refresh_from_db(fields=["revision"])
            proof = proof_store(version, in_force)
        _record("intents.policy.submitted", version, proof_sha256=proof)
        announce_submission(version)
        announce_submitted(version)
    return version


def version_approve(
    version_id: UUID, *, revision: int, checked: Checked, effective_from: datetime | None = None, reason: str = ""
) -> PolicyVersion:
    """Approve a version in review, with the principal as the approver.

    Where the version in force asks for two reviewers of such a change, the first approval leaves it in review.

    Args:    effective_from: aware; None for now. From then on the version is in force, even if that is not recorded.
             revision: the revision that the caller read. If the version was sent back, changed and submitted again
                 since, it has another revision, and the approval is refused.
             checked: of this revision, computed outside of the transaction (version_checked).
    Returns: the version, with the status active if it takes effect now, and in review after the first of two approvals.
    Raises:  PermissionDeniedError, PersonNeededError, NotInReviewError, OwnVersionError, VersionChangedError;
             AlreadyApprovedError: the principal approved this revision; FirstOfTwoError: the first of two reviewers
                 gave a time, which the second says; ReplacedMeanwhileError: another version came into force;
             InvalidMomentError: effective_from lies in the past; the errors of require_accuracy and require_proof;
             InvalidPolicyError: the content is invalid, or leaves out a kind of which there are documents, or breaks
                 an invariant of its own or of a version that comes before it, or one that is to follow breaks an
                 invariant of this one.
    """
    with transaction.atomic():
        version = _reviewed(version_id, "approve", revision)
        if effective_from is not None and effective_from < timezone.now():
            raise InvalidMomentError(effective_from=effective_from.isoformat())
        require_accuracy(version, checked)
        in_force = policy_in_force()
        require_valid(version_snapshot(version), in_force)
        # Documents may have come since it was submitted.
        require_successor(version_snapshot(version))
        _require_succession(version, effective_from)
        proof = require_proof(version)
        if not approval_write(version, note=reason.strip(), effective_from=effective_from):
            _record("intents.policy.first_approved", version, proof_sha256=proof)
            return version
        # Read this now: a version that is approved with immediate effect is itself in force a moment later.
        before = policy_sha256(in_force)
        # Use the database's clock, as activation does: a server whose clock is ahead could put nothing in force.
        version.effective_from = effective_from or Now()
        with against(in_force, version):
            _decide(version, VersionStatus.APPROVED, reason=reason, fields=["effective_from"])
        version.refresh_from_db(fields=["effective_from"])
        _record(
            "intents.policy.approved",
            version,
            effective_from=str(version.effective_from),
            before_sha256=before,
            proof_sha256=proof,
            # What is in force at once is told when that is recorded.
            is_told=effective_from is not None,
        )
        if effective_from is None:
            version = _record_in_force(version)
    return version


def version_reject(version_id: UUID, *, revision: int, reason: str) -> PolicyVersion:
    """Reject a version in review, finally.

    Raises: PermissionDeniedError, PersonNeededError, NotInReviewError, OwnVersionError, VersionChangedError,
            ReasonMissingError.
    """
    with transaction.atomic():
        version = _reviewed(version_id, "reject", revision)
        _decide(version, VersionStatus.REJECTED, reason=require_reason(reason))
        _record("intents.policy.rejected", version, outcome=Outcome.REFUSED)
    return version


def version_send_back(version_id: UUID, *, revision: int, reason: str) -> PolicyVersion:
    """Make a version in review a draft again, which its author can change; keep the reason as a comment.

    Raises: as version_reject does.
    """
    said = require_reason(reason)
    with transaction.atomic():
        version = _reviewed(version_id, "send_back", revision)
        version.status = VersionStatus.DRAFT
        version.submitted_at = None
        version.decided_revision = version.revision
        version.save(update_fields=["status", "submitted_at", "decided_revision"])
        comment_write(version, text=said)
        _record("intents.policy.sent_back", version, reason=said)
    return version


def version_withdraw(version_id: UUID, *, revision: int, reason: str) -> PolicyVersion:
    """Withdraw a version that is in review, or approved and not yet in force.

    Raises: PermissionDeniedError: the principal is neither its author nor may approve policies; PersonNeededError,
            NotWithdrawableError, VersionChangedError, ReasonMissingError.
    """
    require_editor_or_reviewer()
    with transaction.atomic():
        version = _locked(version_id)
        if PolicyVersion.objects.filter(IS_DUE, id=version.id).exists():
            raise not_withdrawable(version)
        require_version_step(version, "withdraw", revision=revision)
        version.status = VersionStatus.WITHDRAWN
        version.decision_reason = require_reason(reason)
        version.decided_at = timezone.now()
        version.save(update_fields=["status", "decision_reason", "decided_at"])
        _record("intents.policy.withdrawn", version, reason=version.decision_reason)
    return version


def _reviewed(version_id: UUID, step: str, revision: int) -> PolicyVersion:
    """Return a version in review that the principal may decide on, locked until the transaction ends."""
    require_permission(VERSIONS, step)
    require_person()
    version = _locked(version_id)
    require_version_step(version, step, revision=revision)
    return version


def _require_succession(version: PolicyVersion, effective_from: datetime | None) -> None:
    """Require that of this version and each that is approved for later, the later one keeps what the earlier forbids.

    sql/invariants.sql says the same. Raises: InvalidPolicyError.
    """
    own = version_snapshot(version)
    begins = effective_from or timezone.now(), version.number
    for other in PolicyVersion.objects.filter(status=VersionStatus.APPROVED, effective_from__gt=Now()):
        theirs = version_snapshot(other)
        follows = begins < (other.effective_from, other.number)
        problems = tuple(earlier_problems(theirs, own) if follows else earlier_problems(own, theirs))
        if problems:
            told = (f"Version {other.number}, which is approved to follow, would break it: withdraw it first.",)
            raise InvalidPolicyError(problems=(*problems, *(told if follows else ())))


def _record_in_force(version: PolicyVersion) -> PolicyVersion:
    """Record that the version is in force, after the versions that were due before it.

    If an earlier version can't be recorded now, leave this one to the next run of the scheduler.
    """
    earlier = PolicyVersion.objects.filter(IS_DUE).exclude(id=version.id)
    if earlier.exists():
        activate_due(TenantId(version.tenant_id), but=version.id)
    return version if earlier.exists() else policy_version_activate(version)


def _locked(version_id: UUID) -> PolicyVersion:
    version: PolicyVersion = PolicyVersion.objects.select_for_update(no_key=True).get(id=version_id)
    return version


def _decide(version: PolicyVersion, status: VersionStatus, *, reason: str, fields: list[str] | None = None) -> None:
    principal = current_scope().principal
    version.status = status
    version.approver_id = principal.id
    version.approver_label = principal.label[:255]
    version.decided_at = timezone.now()
    version.decision_reason = reason.strip()
    # _reviewed has locked the version and checked that this is the revision that the approver read.
    version.decided_revision = version.revision
    decided = ["approver_id", "approver_label", "decided_at", "decision_reason", "decided_revision"]
    version.save(update_fields=["status", *decided, *(fields or [])])


def _record(
    action: str,
    version: PolicyVersion,
    *,
    outcome: Outcome = Outcome.SUCCESS,
    reason: str = "",
    is_told: bool = True,
    **more: str,
) -> None:
    """Record the step, and tell the author and the reviewers of it."""
    event = record(
        action=action,
        core={
            "number": version.number,
            "origin": version.origin,
            "reason": reason or version.decision_reason or version.reason,
            "author": version.author_label,
            "before_sha256": policy_sha256(policy_in_force()),
            "content_sha256": policy_sha256(version_snapshot(version)),
            **more,
        },
        outcome=outcome,
        subject_type="policy_version",
        subject_id=version.id,
    )
    if is_told:
        notices_write(version, event)
