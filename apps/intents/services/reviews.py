"""The review of a policy version: submitted by its author, decided by somebody else, in force from when that says."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Now
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.check import GoldenCheck, golden_check
from apps.intents.errors import (
    GoldenAccuracyError,
    InvalidMomentError,
    NotInReviewError,
    NotWithdrawableError,
    OwnVersionError,
    SamePolicyError,
    UnreachableIntentError,
    VersionChangedError,
)
from apps.intents.models import PolicyVersion, ReviewComment, VersionStatus
from apps.intents.notices import announce_submission
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.drafts import own_draft, require_person, require_reason
from apps.intents.services.golden import golden_vectors
from apps.intents.services.versions import policy_version_activate
from apps.intents.submission import submitted
from apps.intents.validation import require_valid
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission

_WITHDRAWABLE = (VersionStatus.IN_REVIEW, VersionStatus.APPROVED)


def version_submit(version_id: UUID) -> PolicyVersion:
    """Hand a draft to the reviewers. From here on it does not change.

    Raises: PermissionDeniedError, PersonNeededError, NotADraftError, NotTheAuthorError; InvalidPolicyError: with all
            that is wrong; SamePolicyError: it says what the version in force says; GoldenAccuracyError: its classifier
            is too poor.
    """
    with transaction.atomic():
        version = own_draft(version_id)
        snapshot = version_snapshot(version)
        require_valid(snapshot)
        if policy_sha256(snapshot) == policy_sha256(policy_in_force()):
            raise SamePolicyError(number=version.number)
        require_accuracy(version)
        version.status = VersionStatus.IN_REVIEW
        version.submitted_at = timezone.now()
        version.save(update_fields=["status", "submitted_at"])
        _record("intents.policy.submitted", version)
        announce_submission(version)
        submitted(version)
    return version


def version_approve(
    version_id: UUID, *, effective_from: datetime | None = None, reason: str = "", revision: int | None = None
) -> PolicyVersion:
    """Approve a version in review, in the principal's own name.

    Args:    effective_from: aware; None for now. One in the future is put in force by the schedule, a minute late at
                 most.
             revision: the one that was read; a version that was sent back, changed and submitted again since is
                 another, and is not decided on. None where the caller holds the row already.
    Returns: the version, active where it takes effect now.
    Raises:  PermissionDeniedError, PersonNeededError, NotInReviewError, OwnVersionError, VersionChangedError;
             InvalidMomentError: it lies in the past; UnreachableIntentError, GoldenAccuracyError.
    """
    with transaction.atomic():
        version = _reviewed(version_id, revision)
        if effective_from is not None and effective_from < timezone.now():
            raise InvalidMomentError(effective_from=effective_from.isoformat())
        require_accuracy(version)
        # The database's clock, which activation asks too: a server whose clock is ahead could put nothing in force.
        version.effective_from = effective_from or Now()
        _decide(version, VersionStatus.APPROVED, reason=reason, fields=["effective_from"])
        version.refresh_from_db(fields=["effective_from"])
        _record("intents.policy.approved", version, effective_from=str(version.effective_from))
        if effective_from is None:
            version = policy_version_activate(version)
    return version


def version_reject(version_id: UUID, *, reason: str, revision: int | None = None) -> PolicyVersion:
    """Refuse a version in review, for good. Raises as version_approve does; ReasonMissingError."""
    with transaction.atomic():
        version = _reviewed(version_id, revision)
        _decide(version, VersionStatus.REJECTED, reason=require_reason(reason))
        _record("intents.policy.rejected", version, outcome=Outcome.REFUSED)
    return version


def version_send_back(version_id: UUID, *, reason: str, revision: int | None = None) -> PolicyVersion:
    """Make a version in review a draft again, for its author to change; the reason stays as a comment.

    Raises: as version_reject does.
    """
    said = require_reason(reason)
    with transaction.atomic():
        version = _reviewed(version_id, revision)
        version.status = VersionStatus.DRAFT
        version.submitted_at = None
        version.save(update_fields=["status", "submitted_at"])
        _comment(version, said)
        _record("intents.policy.sent_back", version, reason=said)
    return version


def version_withdraw(version_id: UUID, *, reason: str) -> PolicyVersion:
    """Take a version back that is in review, or approved and not yet in force.

    Raises: PermissionDeniedError: neither its author nor somebody who may approve; PersonNeededError,
            NotWithdrawableError, ReasonMissingError.
    """
    principal = _editor_or_reviewer()
    with transaction.atomic():
        version = _locked(version_id)
        if version.status not in _WITHDRAWABLE:
            raise NotWithdrawableError(number=version.number, status=version.get_status_display())
        if version.author_id != principal.id or not principal.may(Permission.POLICY_EDIT):
            principal.require(Permission.POLICY_APPROVE)
        version.status = VersionStatus.WITHDRAWN
        version.decision_reason = require_reason(reason)
        version.decided_at = timezone.now()
        version.save(update_fields=["status", "decision_reason", "decided_at"])
        _record("intents.policy.withdrawn", version, reason=version.decision_reason)
    return version


def version_comment(version_id: UUID, *, text: str) -> ReviewComment:
    """Say something of a version, in one's own name.

    Raises: PermissionDeniedError, PersonNeededError, ReasonMissingError.
    """
    _editor_or_reviewer()
    with transaction.atomic():
        version: PolicyVersion = PolicyVersion.objects.get(id=version_id)
        comment = _comment(version, require_reason(text))
        _record("intents.policy.commented", version, comment_id=str(comment.id))
    return comment


def version_check(version: PolicyVersion) -> GoldenCheck:
    """Classify the version's golden examples with the tenant's provider, each left out in turn.

    Raises: ProviderError: where it is down the terms alone would be judged, and not what answers are made with.
    """
    snapshot = version_snapshot(version)
    return golden_check(snapshot, golden_vectors(snapshot=snapshot, provider=tenant_provider()))


def require_accuracy(version: PolicyVersion) -> GoldenCheck:
    """The check of a version that reaches its own bar.

    Without the provider nothing can be submitted or approved, and the error says why.

    Raises: UnreachableIntentError: an intent that none of its own examples gets; GoldenAccuracyError: below the
            version's own bar; ProviderError.
    """
    check = version_check(version)
    if check.accuracy < check.minimum_accuracy:
        raise GoldenAccuracyError(
            number=version.number,
            accuracy=f"{check.accuracy:.0%}",
            minimum=f"{check.minimum_accuracy:.0%}",
            examples="; ".join(f"“{each.text}” ({each.given or 'unrecognised'})" for each in check.misclassified[:3]),
        )
    if check.unreachable:
        raise UnreachableIntentError(
            number=version.number,
            intents=", ".join(version_snapshot(version).label_of(name) for name in check.unreachable),
        )
    return check


def _reviewed(version_id: UUID, revision: int | None) -> PolicyVersion:
    """A version in review that the principal may decide on, locked until the transaction ends."""
    current_scope().principal.require(Permission.POLICY_APPROVE)
    principal = require_person()
    version = _locked(version_id)
    if version.status != VersionStatus.IN_REVIEW:
        raise NotInReviewError(number=version.number, status=version.get_status_display())
    if version.author_id == principal.id:
        raise OwnVersionError(number=version.number)
    if revision not in (None, version.revision):
        raise VersionChangedError(number=version.number, revision=version.revision)
    return version


def _editor_or_reviewer() -> Principal:
    """The person who acts, where they may write policies or approve them."""
    principal = current_scope().principal
    if not principal.may(Permission.POLICY_EDIT):
        principal.require(Permission.POLICY_APPROVE)
    return require_person()


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
    version.save(
        update_fields=["status", "approver_id", "approver_label", "decided_at", "decision_reason", *(fields or [])]
    )


def _comment(version: PolicyVersion, text: str) -> ReviewComment:
    principal = current_scope().principal
    comment: ReviewComment = ReviewComment.objects.create(
        tenant_id=version.tenant_id,
        version=version,
        author_id=principal.id,
        author_label=principal.label[:255],
        text=text,
    )
    return comment


def _record(
    action: str, version: PolicyVersion, *, outcome: Outcome = Outcome.SUCCESS, reason: str = "", **more: str
) -> None:
    record(
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
