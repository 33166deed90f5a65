"""The states of a request, and who may take it from one state to another. Pure; the database enforces the same edges.

A request for access takes the same path until every place is decided on. For it, INVENTORY_READY means that its package
is made, and COMPLETED that it was answered.
"""

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
    PARTIALLY_COMPLETED = "partially_completed", "Completed except for what is held"
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
# A request can be refused or withdrawn only before the approval, because afterwards data are being removed.
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
    # Once a hold is released, the rest is erased under the same approval.
    (S.PARTIALLY_COMPLETED, S.EXECUTING): By.PLATFORM,
    **{(state, S.REFUSED): By.MANAGER for state in _BEFORE_APPROVAL},
    **{(state, S.WITHDRAWN): By.MANAGER for state in _BEFORE_APPROVAL},
}

# This edge exists only for a request for access: nothing is removed, so nobody else has to approve it.
ANSWER: Final = (S.INVENTORY_READY, S.COMPLETED)
_ACCESS_STATES: Final = frozenset({*_BEFORE_APPROVAL[:-1], S.COMPLETED, S.REFUSED, S.WITHDRAWN})
ACCESS_LABELS: Final[Mapping[RequestState, str]] = {
    S.INVENTORY_READY: "Package prepared",
    S.COMPLETED: "Answered",
}

# A request in one of these states never changes state again.
FINISHED: Final = frozenset({S.COMPLETED, S.REFUSED, S.WITHDRAWN})
# The deadline no longer applies in these states: the person has an answer, or their letter is due.
ANSWERED: Final = FINISHED | {S.PARTIALLY_COMPLETED}
OPEN: Final = frozenset(S) - ANSWERED


def who_may(before: RequestState, after: RequestState, *, is_access: bool = False) -> By | None:
    """Return who takes this step; None where there is no such step."""
    if not is_access:
        return EDGES.get((before, after))
    if (before, after) == ANSWER:
        return By.MANAGER
    return EDGES.get((before, after)) if {before, after} <= _ACCESS_STATES else None


def label_of(state: RequestState, *, is_access: bool = False) -> str:
    """Return the label of a state."""
    return ACCESS_LABELS.get(state, state.label) if is_access else state.label


def can_end(state: RequestState) -> bool:
    """Return whether a request in this state can still be refused or withdrawn."""
    return state in _BEFORE_APPROVAL
