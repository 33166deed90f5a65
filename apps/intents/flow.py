"""The steps of a policy version: a draft is its author's, a review is somebody else's, in their own name."""

from __future__ import annotations

from typing import Final

from apps.intents.models import VersionOrigin
from apps.intents.models import VersionStatus as S
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.roles import Permission

_APPROVER: Final = ("approver_id", "approver_label")
_DECISION: Final = ("decided_at", "decision_reason")
_OF_AUTHOR: Final = "policy version {number}: only its author may change a draft"
_OF_REVIEWER: Final = "policy version {number}: a review is made by somebody else, who may approve"
_OWN_NAME: Final = "policy version {number}: a review is made in the reviewer's own name"
_WITHDRAWN: Final = "policy version {number}: it is withdrawn by its author or by who may approve"
_EDIT, _APPROVE = (Permission.POLICY_EDIT,), (Permission.POLICY_APPROVE,)

VERSIONS: Final = Flow(
    name="policy version",
    table="intents_policyversion",
    noun="policy version {number}",
    state="status",
    author="author_id",
    states=tuple(S),
    begins="a policy version starts as a draft, without a past",
    columns={
        **dict.fromkeys(_APPROVER, "policy version {number}: the approver is set by the review"),
        **dict.fromkeys(_DECISION, "policy version {number}: a decision is set by whoever decides"),
        "effective_from": "policy version {number}: when it takes effect is set by the review",
        "submitted_at": "policy version {number}: when it was submitted is set by the submission",
        "valid_from": "policy version {number}: valid_from is set by its activation",
        "valid_to": "policy version {number}: valid_to is set by its successor",
    },
    steps=(
        Step(
            name="submit",
            before=(S.DRAFT,),
            after=S.IN_REVIEW,
            by=By.AUTHOR,
            may=_EDIT,
            sets=("submitted_at",),
            refusal=_OF_AUTHOR,
        ),
        Step(
            name="discard",
            before=(S.DRAFT,),
            after=S.WITHDRAWN,
            by=By.AUTHOR,
            may=_EDIT,
            sets=_DECISION,
            refusal=_OF_AUTHOR,
        ),
        Step(
            name="approve",
            before=(S.IN_REVIEW,),
            after=S.APPROVED,
            by=By.SECOND,
            may=_APPROVE,
            signed="approver_id",
            sets=(*_APPROVER, *_DECISION, "effective_from"),
            label="Approve and put in force now",
            refusal=_OF_REVIEWER,
            unsigned=_OWN_NAME,
        ),
        Step(
            name="send_back",
            before=(S.IN_REVIEW,),
            after=S.DRAFT,
            by=By.SECOND,
            may=_APPROVE,
            sets=("submitted_at",),
            reason=True,
            label="Send it back to its author",
            refusal=_OF_REVIEWER,
        ),
        Step(
            name="reject",
            before=(S.IN_REVIEW,),
            after=S.REJECTED,
            by=By.SECOND,
            may=_APPROVE,
            signed="approver_id",
            sets=(*_APPROVER, *_DECISION),
            reason=True,
            label="Reject it for good",
            refusal=_OF_REVIEWER,
            unsigned=_OWN_NAME,
        ),
        *(
            Step(
                name="withdraw",
                before=(S.IN_REVIEW, S.APPROVED),
                after=S.WITHDRAWN,
                by=by,
                may=may,
                sets=_DECISION,
                reason=True,
                label="Withdraw it for good",
                refusal=_WITHDRAWN,
            )
            for by, may in ((By.AUTHOR, _EDIT), (By.ANYONE, _APPROVE))
        ),
        # The approval takes it, or the clock.
        Step(
            name="activate",
            before=(S.APPROVED,),
            after=S.ACTIVE,
            by=By.ANYONE,
            may=_APPROVE,
            sets=("valid_from",),
            within=True,
            refusal="policy version {number}: it is put in force by who may approve",
        ),
        Step(
            name="begin",
            before=(S.DRAFT,),
            after=S.ACTIVE,
            by=By.PLATFORM,
            where={"origin": VersionOrigin.BASELINE.value},
            sets=("valid_from",),
        ),
        # A version gives way to its successor and to nothing else: its activation takes this step.
        Step(name="supersede", before=(S.ACTIVE,), after=S.SUPERSEDED, by=By.DATABASE, sets=("valid_to",)),
    ),
)
