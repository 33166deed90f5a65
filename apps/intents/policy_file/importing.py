"""Import a policy file as a draft, with the open scope's person as its author."""

from __future__ import annotations

from apps.intents.models import PolicyVersion, VersionOrigin
from apps.intents.policy_file.checking import checked_policy_file
from apps.intents.services.drafts import draft_of, require_person
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission


def policy_file_import(*, text: str, filename: str, reason: str) -> PolicyVersion:
    """Create a draft from a file's policy, based on the version in force.

    Returns: the draft; its number is one more than the tenant's highest.
    Raises:  PolicyFileError: the file can't be read, or its policy can't be used.
             PermissionDeniedError, PersonNeededError: the open scope's principal may not edit policies, or is not a
             person. Another person must approve the draft, so it needs an author.
    """
    current_scope().principal.require(Permission.POLICY_EDIT)
    require_person()
    snapshot = checked_policy_file(text, filename=filename)
    return draft_of(snapshot, origin=VersionOrigin.IMPORT, reason=reason)
