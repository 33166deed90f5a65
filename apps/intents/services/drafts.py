"""Start, change and discard drafts of a policy. Only its author may change a draft; the database enforces that too."""

from __future__ import annotations

from uuid import UUID

from django.db import connection, transaction
from django.db.models import F, Max

from apps.audit.services import record
from apps.intents.contracts import PolicySnapshot
from apps.intents.errors import (
    DraftChangedError,
    PersonNeededError,
    ReasonMissingError,
)
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.rendering import policy_sha256
from apps.intents.selectors import policy_in_force, version_snapshot
from apps.intents.services.stepping import require_version_step
from apps.intents.services.versions import policy_draft_create
from apps.intents.snapshots.rows import content_columns, insert_content, remove_content
from apps.intents.standing import in_force_at
from apps.intents.validation import require_storable
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission


def draft_start(*, reason: str) -> PolicyVersion:
    """Start a draft as a copy of the version in force, with the open scope's principal as its author.

    Raises: PermissionDeniedError, PersonNeededError, ReasonMissingError, NoPolicyInForceError.
    """
    return draft_of(policy_in_force(), origin=VersionOrigin.DRAFT, reason=reason)


def draft_copy(version: PolicyVersion, *, reason: str) -> PolicyVersion:
    """Start a draft as a copy of any version, for example to bring an older one back."""
    return draft_of(version_snapshot(version), origin=VersionOrigin.ROLLBACK, reason=reason)


def draft_of(content: PolicySnapshot, *, origin: VersionOrigin, reason: str) -> PolicyVersion:
    """Write a policy's content as a new draft with the next number; its validity is checked when it is submitted.

    Raises: PermissionDeniedError, PersonNeededError, ReasonMissingError; InvalidPolicyError: something stands in it
            twice, so that the tables can't hold it.
    """
    current_scope().principal.require(Permission.POLICY_EDIT)
    require_person()
    with transaction.atomic():
        version = policy_draft_create(
            snapshot=content,
            number=next_number(),
            origin=origin,
            reason=require_reason(reason),
            based_on=in_force_at(PolicyVersion.objects.all()),
        )
        _record("intents.policy.drafted", version, after=policy_sha256(version_snapshot(version)))
    return version


def draft_save(version_id: UUID, *, content: PolicySnapshot, reason: str, revision: int) -> PolicyVersion:
    """Replace the content of a draft.

    Args:    content: the whole new content; the earlier content is replaced.
             revision: the draft's revision when the caller read it. A draft that was changed since is not saved.
    Returns: the draft, with its next revision.
    Raises:  PermissionDeniedError, PersonNeededError, ReasonMissingError; NotADraftError, NotTheAuthorError,
             DraftChangedError; InvalidPolicyError: something stands in it twice, so that the tables can't hold it.
    """
    require_storable(content)
    with transaction.atomic():
        version = own_draft(version_id)
        before = policy_sha256(version_snapshot(version))
        changed = PolicyVersion.objects.filter(id=version.id, revision=revision).update(
            revision=F("revision") + 1, reason=require_reason(reason), **content_columns(content)
        )
        if not changed:
            raise DraftChangedError(number=version.number)
        remove_content(version)
        version.refresh_from_db()
        insert_content(version, content)
        _record("intents.policy.draft_changed", version, before=before, after=policy_sha256(version_snapshot(version)))
    return version


def draft_discard(version_id: UUID) -> None:
    """Discard a draft; its number is not used again.

    Raises: PermissionDeniedError, PersonNeededError; NotADraftError, NotTheAuthorError.
    """
    with transaction.atomic():
        version = own_draft(version_id, step="discard")
        version.status = VersionStatus.WITHDRAWN
        version.save(update_fields=["status"])
        _record("intents.policy.withdrawn", version, after=policy_sha256(version_snapshot(version)))


def own_draft(version_id: UUID, *, step: str = "submit", revision: int | None = None) -> PolicyVersion:
    """Return the principal's own draft, locked until the transaction ends.

    Args:   step: to be taken of it; whoever may submit a draft may change it. revision: the one that was read.
    Raises: PermissionDeniedError, PersonNeededError, NotADraftError, NotTheAuthorError, VersionChangedError.
    """
    current_scope().principal.require(Permission.POLICY_EDIT)
    require_person()
    version: PolicyVersion = PolicyVersion.objects.select_for_update(no_key=True).get(id=version_id)
    require_version_step(version, step, revision=revision)
    return version


def require_person() -> Principal:
    """Return the open scope's principal, which must be a person.

    The database accepts only a person as the author or approver of a version. A key that acts for no person could
    otherwise create a draft that nobody could change or submit.
    Raises: PersonNeededError.
    """
    principal = current_scope().principal
    if principal.kind is not PrincipalKind.USER:
        raise PersonNeededError
    return principal


def next_number() -> int:
    """Return the number of the tenant's next version; concurrent callers wait for this transaction to end."""
    context = current_scope()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("policy number", context.tenant_id)])
    highest: int | None = PolicyVersion.objects.aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def require_reason(reason: str) -> str:
    """Return the reason without surrounding white space. Raises ReasonMissingError if it is empty."""
    said = reason.strip()
    if not said:
        raise ReasonMissingError
    return said


def _record(action: str, version: PolicyVersion, *, after: str, before: str = "") -> None:
    record(
        action=action,
        core={
            "number": version.number,
            "origin": version.origin,
            "reason": version.reason,
            "revision": version.revision,
            "before_sha256": before or policy_sha256(policy_in_force()),
            "content_sha256": after,
        },
        subject_type="policy_version",
        subject_id=version.id,
    )
