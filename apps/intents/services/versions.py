"""Write a policy as rows, and put it in force."""

from __future__ import annotations

from django.db import transaction

from apps.audit.services import record
from apps.intents.contracts import PolicySnapshot
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import version_snapshot
from apps.intents.services.notices import notices_write
from apps.intents.snapshots.rows import content_columns, insert_content
from apps.intents.validation import require_storable, require_valid
from apps.tenants.context import current_scope
from apps.tenants.principals import PrincipalKind


def policy_draft_create(
    *, snapshot: PolicySnapshot, number: int, origin: VersionOrigin, reason: str, based_on: PolicyVersion | None = None
) -> PolicyVersion:
    """Write a snapshot's content as a new draft of the open tenant, authored by the open scope's principal.

    Raises: InvalidPolicyError: something stands in it twice, so that the tables can't hold it.
    Costs:  six queries.
    """
    require_storable(snapshot)
    context = current_scope()
    principal = context.principal
    with transaction.atomic():
        version: PolicyVersion = PolicyVersion.objects.create(
            tenant_id=context.tenant_id,
            number=number,
            status=VersionStatus.DRAFT,
            origin=origin,
            based_on=based_on,
            reason=reason,
            author_id=principal.id if principal.kind is PrincipalKind.USER else None,
            author_label=principal.label[:255],
            **content_columns(snapshot),
        )
        insert_content(version, snapshot)
    return version


def policy_version_activate(version: PolicyVersion) -> PolicyVersion:
    """Record that a version is in force since the time in its approval, at which the database ends the previous one.

    The version takes effect without this record, by the time of its approval (apps/intents/standing.py).

    Raises: InvalidPolicyError: its content can't be used.
            IntegrityError: its status does not allow it.
    """
    with transaction.atomic():
        content = version_snapshot(version)
        # An approved version is in force since its time, even if a later release would call its content invalid.
        if version.status != VersionStatus.APPROVED:
            require_valid(content)
        # The row lock makes concurrent activations wait for each other.
        earlier = (
            PolicyVersion.objects.select_for_update().filter(status=VersionStatus.ACTIVE).exclude(id=version.id).first()
        )
        before = policy_sha256(version_snapshot(earlier)) if earlier else None
        version.status = VersionStatus.ACTIVE
        version.save(update_fields=["status"])
        version.refresh_from_db()
        event = record(
            action="intents.policy.activated",
            core={
                "number": version.number,
                "origin": version.origin,
                "reason": version.reason,
                "author": version.author_label,
                "approver": version.approver_label,
                "superseded_number": earlier.number if earlier else None,
                # The event's own time is the time of this record, which may be later.
                "valid_from": version.valid_from.isoformat() if version.valid_from else None,
                "before_sha256": before,
                "content_sha256": policy_sha256(content),
            },
            subject_type="policy_version",
            subject_id=version.id,
        )
        notices_write(version, event)
    return version
