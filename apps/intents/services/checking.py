"""Check a version's review examples before it is submitted or approved.

The provider may have to embed the examples, and that takes seconds. So the check is computed outside of any
transaction, for one revision of the version, and the transaction that decides requires that the version still has that
revision.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from uuid import UUID

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.check import GoldenCheck, golden_check
from apps.intents.errors import GoldenAccuracyError, UnreachableIntentError, VersionChangedError
from apps.intents.models import PolicyVersion, VersionStatus
from apps.intents.selectors import version_snapshot
from apps.intents.services.golden import golden_vectors
from apps.intents.validation import policy_problems
from apps.tenants.figures import shares_told_apart
from apps.tenants.short_scopes import ShortScopes, current_short_scopes, release_connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The check of one revision of a version.

    check: None if the provider failed, or if there was nothing to check: the version can't be seen, or it is a draft
    whose content is invalid. error: the provider's.
    """

    version_id: UUID
    revision: int = 0
    check: GoldenCheck | None = None
    error: ProviderError | None = None

    def result(self) -> GoldenCheck:
        """Return the check, or raise the error of the provider: without it only the terms would be checked."""
        if self.error is not None:
            raise self.error
        if self.check is None:
            raise AssertionError("there was nothing to check")
        return self.check


def version_checked(version_id: UUID, acting: ShortScopes | None = None) -> Checked:
    """Classify a version's review examples with the tenant's provider, leaving each one out in turn.

    Call it outside of any scope: a scope would stay open while the provider works. The provider's error is kept for the
    transaction that decides, which may have a better reason to refuse.

    Args: acting: who reads the version; None for the principal of the open scope.
    """
    acting = acting or current_short_scopes()
    with acting.open():
        version: PolicyVersion | None = PolicyVersion.objects.filter(id=version_id).first()
        if version is None:
            return Checked(version_id=version_id)
        # Read before the content: if that changes in between, the version no longer has this revision.
        found = Checked(version_id=version_id, revision=version.revision)
        snapshot = version_snapshot(version)
        if version.status == VersionStatus.DRAFT and policy_problems(snapshot):
            return found
        try:
            provider = tenant_provider()
        except ProviderError as error:
            return replace(found, error=error)
    release_connection()
    try:
        vectors = golden_vectors(snapshot=snapshot, provider=provider, tenant_id=acting.tenant_id)
    except ProviderError as error:
        return replace(found, error=error)
    return replace(found, check=golden_check(snapshot, vectors))


def require_accuracy(version: PolicyVersion, checked: Checked) -> GoldenCheck:
    """Require that a locked version reaches its own minimum accuracy, and return the check.

    Without the provider no version can be submitted or approved, and the error says why.
    Raises: VersionChangedError: the version is not the one that was checked.
            UnreachableIntentError: none of an intent's own examples gets that intent; GoldenAccuracyError: the accuracy
            is below the version's own minimum; ProviderError.
    """
    if (checked.version_id, checked.revision) != (version.id, version.revision):
        raise VersionChangedError(number=version.number, revision=version.revision)
    check = checked.result()
    if check.accuracy < check.minimum_accuracy:
        accuracy, minimum = shares_told_apart(check.accuracy, check.minimum_accuracy)
        raise GoldenAccuracyError(
            number=version.number,
            accuracy=accuracy,
            minimum=minimum,
            examples="; ".join(f"“{each.text}” ({each.given or 'unrecognised'})" for each in check.misclassified[:3]),
        )
    if check.unreachable:
        raise UnreachableIntentError(
            number=version.number,
            intents=", ".join(version_snapshot(version).label_of(name) for name in check.unreachable),
        )
    return check
