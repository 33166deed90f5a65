"""Hand in a policy file: it becomes a draft, with the open scope's person as its author."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max

from apps.intents.errors import PolicyAuthorError
from apps.intents.models import PolicyVersion, VersionOrigin, VersionStatus
from apps.intents.policy_file.checking import checked_policy_file
from apps.intents.services.versions import policy_draft_create
from apps.tenants.context import current_scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission


def policy_file_import(*, text: str, filename: str, reason: str) -> PolicyVersion:
    """Make a draft of a file's policy, based on the version in force.

    Returns: the draft; its number is one more than the tenant's highest.
    Raises:  PolicyFileError: the file can't be read, or its policy can't be used.
             PermissionDeniedError, PolicyAuthorError: the open scope's principal may not edit policies, or is nobody:
             a draft without an author could never be approved by another.
    """
    principal = current_scope().principal
    principal.require(Permission.POLICY_EDIT)
    if principal.kind is not PrincipalKind.USER:
        raise PolicyAuthorError(username=principal.label, problem="it is no person")
    snapshot = checked_policy_file(text, filename=filename)
    with transaction.atomic():
        # The row lock makes two imports at once take turns, so that they get two numbers.
        in_force = PolicyVersion.objects.select_for_update().filter(status=VersionStatus.ACTIVE).first()
        newest: int = PolicyVersion.objects.aggregate(newest=Max("number"))["newest"] or 0
        return policy_draft_create(
            snapshot=snapshot, number=newest + 1, origin=VersionOrigin.IMPORT, reason=reason, based_on=in_force
        )
