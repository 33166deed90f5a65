"""Request the preview of a policy version's impact: write a row, then send a Celery message, which the sweep of
jobs repeats."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.services import record
from apps.intents.errors import NotTheAuthorError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.quality.errors import ImpactError
from apps.quality.events import IMPACT_REQUESTED
from apps.quality.impact.ending import impact_core
from apps.quality.models import ImpactState, PolicyImpact
from apps.tenants.context import current_scope
from apps.tenants.leased_jobs import enqueue
from apps.tenants.roles import Permission

_AHEAD = (VersionStatus.DRAFT, VersionStatus.IN_REVIEW, VersionStatus.APPROVED)


def impact_request(version_id: UUID) -> PolicyImpact:
    """Request that a version's impact is computed, or computed again, against the version in force now.

    Returns: the row; one that already waits or runs is left as it is.
    Raises:  PolicyVersion.DoesNotExist.
             PermissionDeniedError: the principal may neither edit nor approve a policy.
             NotTheAuthorError: the version is another author's draft.
             ImpactError: the version is in force, or was decided against.
             NoPolicyInForceError.
    """
    principal = current_scope().principal
    if not principal.may(Permission.POLICY_EDIT):
        principal.require(Permission.POLICY_APPROVE)
    with transaction.atomic():
        version: PolicyVersion = PolicyVersion.objects.select_for_update(no_key=True).get(id=version_id)
        if not can_be_requested(version):
            raise ImpactError(
                "retrieval.impact_nothing_to_preview",
                number=version.number,
                status=version.get_status_display().lower(),
            )
        if version.status == VersionStatus.DRAFT and version.author_id != principal.id:
            raise NotTheAuthorError(number=version.number, author=version.author_label or "the platform")
        return _requested(version)


def impact_of_submission(version: PolicyVersion) -> None:
    """Request a submitted version's impact, so that its reviewer finds the preview done or on its way.

    apps.intents.registry calls this.
    """
    with transaction.atomic():
        _requested(version)


def can_be_requested(version: PolicyVersion) -> bool:
    """Return whether the version is a change that is still ahead."""
    return version.status in _AHEAD


def _requested(version: PolicyVersion) -> PolicyImpact:
    in_force = policy_in_force()
    base: PolicyVersion = PolicyVersion.objects.get(id=in_force.version_id)
    now = timezone.now()
    key = {"version": version, "revision": version.revision, "base": base}
    fresh = {
        "state": ImpactState.QUEUED,
        "content_sha256": policy_sha256(version_snapshot(version)),
        "base_sha256": policy_sha256(in_force),
        "requested_at": now,
        "requested_by": current_scope().principal.label[:255],
        "next_attempt_at": now + PolicyImpact.resend_after,
    }
    impact: PolicyImpact | None = PolicyImpact.objects.select_for_update().filter(**key).first()
    if impact is None:
        impact = PolicyImpact.objects.create(tenant_id=version.tenant_id, **key, **fresh)
    elif impact.state in (ImpactState.QUEUED, ImpactState.RUNNING):
        return impact
    else:
        begun_anew = {"done": 0, "total": 0, "attempts": 0, "error_code": "", "error_detail": "", "result": {}}
        PolicyImpact.objects.filter(id=impact.id).update(**fresh, **begun_anew, started_at=None, finished_at=None)
        impact.refresh_from_db()
    record(action=IMPACT_REQUESTED, core=impact_core(impact), subject_type="policy_version", subject_id=version.id)
    enqueue(impact)
    return impact
