"""The states of a request, and who may take it from one state to another. Pure; the database holds the same table.

A request for access takes the same path until every place is decided on. For it, INVENTORY_READY means that its package
is made, and COMPLETED that it was answered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.db import models

from apps.privacy.codes.requests import Purpose
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.roles import Permission


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


S = RequestState
# A request can be refused or withdrawn only before the approval, because afterwards data are being removed.
_BEFORE_APPROVAL: Final = (S.RECEIVED, S.IDENTITY_PENDING, S.ASSESSING, S.INVENTORY_READY, S.AWAITING_APPROVAL)
_ERASURE: Final = {"purpose": Purpose.ERASURE.value}
_ACCESS: Final = {"purpose": Purpose.ACCESS.value}
_PROPOSAL: Final = ("run_id", "proposed_by_id", "proposed_at")
_APPROVAL: Final = ("approved_by_id", "approved_at")
_SENT_BACK: Final = "a proposal is sent back by who may approve, or taken back by who manages privacy"


def _managed(name: str, before: tuple[RequestState, ...], after: RequestState, **more: Any) -> Step:
    """Return a step of a person who manages privacy (DPO)."""
    given = {"refusal": "a request is worked on by who manages privacy", **more}
    return Step(name=name, before=before, after=after, by=By.PERSON, may=(Permission.PRIVACY_MANAGE,), **given)


def _followed(name: str, before: tuple[RequestState, ...], after: RequestState) -> Step:
    """Return a step of the platform, as the erasure goes on."""
    refusal = "the platform alone says how far an erasure is"
    return Step(name=name, before=before, after=after, by=By.PLATFORM, where=_ERASURE, refusal=refusal)


REQUESTS: Final = Flow(
    name="request",
    table="audit_erasurerequest",
    noun="a request",
    state="state",
    author="proposed_by_id",
    states=tuple(S),
    begins="a request begins as received, with nothing done yet",
    columns={
        **dict.fromkeys(_PROPOSAL, "who proposed an erasure is set by the proposal"),
        **dict.fromkeys(_APPROVAL, "who approved an erasure is set by the approval"),
    },
    steps=(
        _managed("confirm", (S.RECEIVED, S.IDENTITY_PENDING), S.ASSESSING, done="confirmed"),
        _managed(
            "ask_identity",
            (S.RECEIVED, S.ASSESSING),
            S.IDENTITY_PENDING,
            reason=True,
            done="asked for proof of identity",
            label="Ask for proof of identity",
        ),
        _managed("assess", (S.ASSESSING,), S.INVENTORY_READY, where=_ERASURE, reason=True, done="assessed"),
        _managed("prepare", (S.ASSESSING,), S.INVENTORY_READY, where=_ACCESS),
        # The package is destroyed.
        _managed("reopen", (S.INVENTORY_READY,), S.ASSESSING, where=_ACCESS, done="taken back"),
        _managed(
            "propose",
            (S.INVENTORY_READY,),
            S.AWAITING_APPROVAL,
            where=_ERASURE,
            signed="proposed_by_id",
            requires=("proposed_at",),
            sets=_PROPOSAL,
            done="proposed",
            label="Propose the erasure to a second person",
            unsigned="an erasure is proposed in the proposer's own name",
        ),
        # Nothing is removed, so nobody else has to approve it.
        _managed("answer", (S.INVENTORY_READY,), S.COMPLETED, where=_ACCESS, done="answered"),
        Step(
            name="approve",
            before=(S.AWAITING_APPROVAL,),
            after=S.RESTRICTED,
            by=By.SECOND,
            may=(Permission.PRIVACY_APPROVE,),
            where=_ERASURE,
            signed="approved_by_id",
            requires=("approved_at",),
            sets=_APPROVAL,
            done="approved",
            label="Approve, and erase it for good",
            refusal="an erasure is decided on by another person than who proposed it, who may approve",
            unsigned="an erasure is approved in the approver's own name, which is not the proposer's",
        ),
        Step(
            name="send_back",
            before=(S.AWAITING_APPROVAL,),
            after=S.INVENTORY_READY,
            by=By.PERSON,
            may=(Permission.PRIVACY_APPROVE,),
            where=_ERASURE,
            sets=_PROPOSAL,
            reason=True,
            done="sent back",
            label="Send it back",
            refusal=_SENT_BACK,
        ),
        _managed(
            "take_back",
            (S.AWAITING_APPROVAL,),
            S.INVENTORY_READY,
            where=_ERASURE,
            sets=_PROPOSAL,
            done="taken back",
            label="Take the proposal back",
            refusal=_SENT_BACK,
        ),
        _managed("refuse", _BEFORE_APPROVAL, S.REFUSED, reason=True, done="refused", label="Refuse the request"),
        _managed(
            "withdraw", _BEFORE_APPROVAL, S.WITHDRAWN, reason=True, done="withdrawn", label="Close it as withdrawn"
        ),
        # Once a hold is released, the rest is erased under the same approval.
        _followed("begin", (S.RESTRICTED, S.FAILED, S.PARTIALLY_COMPLETED), S.EXECUTING),
        _followed("verify", (S.EXECUTING,), S.VERIFYING),
        _followed("complete", (S.VERIFYING,), S.COMPLETED),
        _followed("complete_partly", (S.VERIFYING,), S.PARTIALLY_COMPLETED),
        _followed("fail", (S.RESTRICTED, S.EXECUTING, S.VERIFYING), S.FAILED),
    ),
)

ACCESS_LABELS: Final[Mapping[RequestState, str]] = {
    S.INVENTORY_READY: "Package prepared",
    S.COMPLETED: "Answered",
}

# A request in one of these states never changes state again.
FINISHED: Final = frozenset({S.COMPLETED, S.REFUSED, S.WITHDRAWN})
# The deadline no longer applies in these states: the person has an answer, or their letter is due.
ANSWERED: Final = FINISHED | {S.PARTIALLY_COMPLETED}
OPEN: Final = frozenset(S) - ANSWERED


def label_of(state: RequestState, *, is_access: bool = False) -> str:
    """Return the label of a state."""
    return ACCESS_LABELS.get(state, state.label) if is_access else state.label


def can_end(state: RequestState) -> bool:
    """Return whether a request in this state can still be refused or withdrawn."""
    return state in REQUESTS.sources("withdraw")
