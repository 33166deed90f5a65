"""The states of a request and who may take it from one to another. Pure; the database holds the same edges."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from django.db import models


class RequestState(models.TextChoices):
    RECEIVED = "received", "Received"
    IDENTITY_PENDING = "identity_pending", "Waits for proof of identity"
    ASSESSING = "assessing", "Being assessed"
    INVENTORY_READY = "inventory_ready", "Ready to be proposed"
    AWAITING_APPROVAL = "awaiting_approval", "Waits for approval"
    RESTRICTED = "restricted", "Approved"
    EXECUTING = "executing", "Being erased"
    VERIFYING = "verifying", "Being verified"
    COMPLETED = "completed", "Completed"
    PARTIALLY_COMPLETED = "partially_completed", "Completed but for what is held"
    REFUSED = "refused", "Refused"
    WITHDRAWN = "withdrawn", "Withdrawn"
    FAILED = "failed", "Failed: tried again"


class By(StrEnum):
    """Who takes a step."""

    MANAGER = "manager"  # a person who manages privacy (DPO)
    SECOND = "second"  # another person than who proposed, who may approve
    EITHER = "either"  # the second person sends it back, or who manages privacy takes it back
    PLATFORM = "platform"  # the platform itself, as the erasure goes on


S = RequestState
# Refused and withdrawn are ways out as long as nothing was approved: from then on data are being removed.
_BEFORE_APPROVAL: Final = (S.RECEIVED, S.IDENTITY_PENDING, S.ASSESSING, S.INVENTORY_READY, S.AWAITING_APPROVAL)

EDGES: Final[Mapping[tuple[RequestState, RequestState], By]] = {
    (S.RECEIVED, S.IDENTITY_PENDING): By.MANAGER,
    (S.RECEIVED, S.ASSESSING): By.MANAGER,
    (S.IDENTITY_PENDING, S.ASSESSING): By.MANAGER,
    (S.ASSESSING, S.IDENTITY_PENDING): By.MANAGER,
    (S.ASSESSING, S.INVENTORY_READY): By.MANAGER,
    (S.INVENTORY_READY, S.ASSESSING): By.MANAGER,
    (S.INVENTORY_READY, S.AWAITING_APPROVAL): By.MANAGER,
    (S.AWAITING_APPROVAL, S.INVENTORY_READY): By.EITHER,
    (S.AWAITING_APPROVAL, S.RESTRICTED): By.SECOND,
    (S.RESTRICTED, S.EXECUTING): By.PLATFORM,
    (S.RESTRICTED, S.FAILED): By.PLATFORM,
    (S.EXECUTING, S.VERIFYING): By.PLATFORM,
    (S.EXECUTING, S.FAILED): By.PLATFORM,
    (S.VERIFYING, S.COMPLETED): By.PLATFORM,
    (S.VERIFYING, S.PARTIALLY_COMPLETED): By.PLATFORM,
    (S.VERIFYING, S.FAILED): By.PLATFORM,
    (S.FAILED, S.EXECUTING): By.PLATFORM,
    # What was held is released: the rest is erased under the same approval.
    (S.PARTIALLY_COMPLETED, S.EXECUTING): By.PLATFORM,
    **{(state, S.REFUSED): By.MANAGER for state in _BEFORE_APPROVAL},
    **{(state, S.WITHDRAWN): By.MANAGER for state in _BEFORE_APPROVAL},
}

# Nothing of them changes any more.
FINISHED: Final = frozenset({S.COMPLETED, S.REFUSED, S.WITHDRAWN})
# The person has had, or is owed, an answer: the month is over for them.
ANSWERED: Final = FINISHED | {S.PARTIALLY_COMPLETED}
OPEN: Final = frozenset(S) - ANSWERED


def who_may(before: RequestState, after: RequestState) -> By | None:
    """Who takes this step; None where there is no such step."""
    return EDGES.get((before, after))


def can_end(state: RequestState) -> bool:
    """Whether a request can still be refused or withdrawn."""
    return state in _BEFORE_APPROVAL
