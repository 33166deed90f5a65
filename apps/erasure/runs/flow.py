"""The steps of a removal run: one person proposes it, another approves, and the eraser alone carries it out."""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import Origin
from apps.erasure.contracts import RunState as S
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.roles import Permission

_APPROVAL: Final = ("approved_by", "approved_at")
_REJECTION: Final = ("rejected_by", "rejected_at", "rejection_code")
_REJECTED: Final = "a removal run is rejected in one's own name, by who may approve or manage privacy"


def _carried_out(name: str, before: tuple[S, ...], after: S) -> Step:
    refusal = "the eraser alone carries out a removal run"
    return Step(name=name, before=before, after=after, by=By.ERASER, refusal=refusal)


RUNS: Final = Flow(
    name="removal run",
    table="audit_removalrun",
    noun="a removal run",
    state="state",
    author="proposed_by",
    states=(S.PROPOSED, *(state for state in S if state is not S.PROPOSED)),
    begins="a removal run starts as a proposal",
    columns={
        **dict.fromkeys(_APPROVAL, "who approved a removal run is set by the approval"),
        **dict.fromkeys(_REJECTION, "who rejected a removal run is set by the rejection"),
    },
    steps=(
        Step(
            name="approve",
            before=(S.PROPOSED,),
            after=S.APPROVED,
            by=By.SECOND,
            may=(Permission.PRIVACY_APPROVE,),
            signed="approved_by",
            requires=("approved_at",),
            sets=_APPROVAL,
            done="approved",
            refusal="a removal run is approved by somebody else, who may approve",
            unsigned="a removal run is approved in the approver's own name",
        ),
        # Whoever proposed the removal of a document withdraws it; privacy's proposals are withdrawn by who manages it.
        *(
            Step(
                name="reject",
                before=(S.PROPOSED,),
                after=S.REJECTED,
                by=by,
                may=may,
                where=where,
                signed="rejected_by",
                sets=_REJECTION,
                reason=by is By.ANYONE,
                done="rejected",
                refusal=_REJECTED,
            )
            for by, may, where in (
                (By.AUTHOR, (Permission.DOCUMENT_DELETE,), {"origin": Origin.REMOVAL.value}),
                (By.ANYONE, (Permission.PRIVACY_MANAGE, Permission.PRIVACY_APPROVE), {}),
            )
        ),
        Step(
            name="retry",
            before=(S.FAILED,),
            after=S.APPROVED,
            by=By.ANYONE,
            may=(Permission.PRIVACY_MANAGE,),
            done="tried again",
            refusal="a removal run is tried again by who may manage privacy",
        ),
        # A failed run goes on without its physical proof once another person agrees.
        Step(
            name="agree",
            before=(S.FAILED,),
            after=S.APPROVED,
            by=By.SECOND,
            may=(Permission.PRIVACY_APPROVE,),
            author="unproven_asked_by",
            signed="unproven_agreed_by",
        ),
        # What was kept, and is not any more, goes on: the release takes it.
        Step(name="go_on", before=(S.PARTIALLY_COMPLETED,), after=S.APPROVED, by=By.ANYONE, within=True),
        _carried_out("begin", (S.APPROVED, S.FAILED), S.EXECUTING),
        _carried_out("verify", (S.EXECUTING,), S.VERIFYING),
        _carried_out("complete", (S.EXECUTING, S.VERIFYING), S.COMPLETED),
        _carried_out("complete_partly", (S.EXECUTING, S.VERIFYING), S.PARTIALLY_COMPLETED),
        _carried_out("fail", (S.EXECUTING, S.VERIFYING), S.FAILED),
    ),
)
