"""The error for each step of a policy version (apps/intents/flow.py) that somebody can't take."""

from __future__ import annotations

from apps.errors import ApplicationError
from apps.intents.errors import (
    NotADraftError,
    NotInReviewError,
    NotTheAuthorError,
    NotWithdrawableError,
    OwnVersionError,
    VersionChangedError,
)
from apps.intents.flow import VERSIONS
from apps.intents.models import PolicyVersion
from apps.intents.standing import by_time
from apps.tenants.flows.checks import require_step
from apps.tenants.flows.table import Refusal, Step


def require_version_step(version: PolicyVersion, name: str, *, revision: int | None = None) -> None:
    """Require that the principal may take this step of a locked version. Args: revision: the one that was read.

    Raises: PermissionDeniedError, NotADraftError, NotTheAuthorError; NotInReviewError, OwnVersionError,
            NotWithdrawableError; VersionChangedError; what require_second_person raises.
    """
    require_step(VERSIONS, version, name, refused=_refused, revision=revision)


def not_withdrawable(version: PolicyVersion) -> NotWithdrawableError:
    """Return the error for a version that can't be withdrawn: with its status as of now."""
    status: str = by_time(PolicyVersion.objects.filter(id=version.id)).get().get_status_display()
    return NotWithdrawableError(number=version.number, status=status)


def _refused(version: PolicyVersion, step: Step, because: Refusal) -> ApplicationError:
    number, status = version.number, version.get_status_display()
    match because, step.name:
        case Refusal.CHANGED, _:
            return VersionChangedError(number=number, revision=version.revision)
        case Refusal.OWN, _:
            return OwnVersionError(number=number)
        case Refusal.NOT_AUTHOR, _:
            return NotTheAuthorError(number=number, author=version.author_label or "the platform")
        case _, "withdraw":
            return not_withdrawable(version)
        case _, "submit" | "discard":
            return NotADraftError(number=number, status=status)
        case _:
            return NotInReviewError(number=number, status=status)
