"""The steps of a retention schedule: a draft is its author's, a review is somebody else's, in their own name."""

from __future__ import annotations

from typing import Final

from apps.erasure.models import ScheduleOrigin
from apps.erasure.models import ScheduleStatus as S
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.roles import Permission

_NUMBERED: Final = "retention schedule {number}"
_DECISION: Final = ("approver_id", "approver_label", "decided_at", "decision_reason")
_OF_AUTHOR: Final = f"{_NUMBERED}: only its author may change a draft"
_OF_OTHER: Final = f"{_NUMBERED}: it is decided on by somebody else who may, in their own name"
_IN_FORCE: Final = f"{_NUMBERED}: from when until when it is in force is set by the database"
_MANAGE, _APPROVE = (Permission.PRIVACY_MANAGE,), (Permission.PRIVACY_APPROVE,)

SCHEDULES: Final = Flow(
    name="retention schedule",
    table="audit_retentionschedule",
    noun=_NUMBERED,
    state="status",
    author="author_id",
    states=tuple(S),
    begins="a retention schedule starts as a draft",
    columns={
        **dict.fromkeys(_DECISION, f"{_NUMBERED}: a decision is set by whoever decides"),
        "submitted_at": f"{_NUMBERED}: when it was submitted is set by the submission",
        "valid_from": _IN_FORCE,
        "valid_to": _IN_FORCE,
    },
    steps=(
        Step(
            name="submit",
            before=(S.DRAFT,),
            after=S.IN_REVIEW,
            by=By.AUTHOR,
            may=_MANAGE,
            sets=("submitted_at",),
            refusal=_OF_AUTHOR,
        ),
        Step(
            name="take_back",
            before=(S.IN_REVIEW,),
            after=S.DRAFT,
            by=By.AUTHOR,
            may=_MANAGE,
            sets=("submitted_at",),
            label="Take it back as a draft",
            refusal=f"{_NUMBERED}: its author alone takes it back",
        ),
        *(
            Step(
                name=name,
                before=(S.IN_REVIEW,),
                after=after,
                by=By.SECOND,
                may=_APPROVE,
                signed="approver_id",
                sets=sets,
                reason=name == "reject",
                label=label,
                refusal=_OF_OTHER,
            )
            for name, after, label, sets in (
                ("approve", S.IN_FORCE, "Approve and put in force now", (*_DECISION, "valid_from")),
                ("reject", S.REJECTED, "Reject it for good", _DECISION),
            )
        ),
        Step(
            name="begin",
            before=(S.DRAFT,),
            after=S.IN_FORCE,
            by=By.PLATFORM,
            where={"origin": ScheduleOrigin.BASELINE.value},
            sets=("valid_from",),
        ),
        # A schedule gives way to its successor and to nothing else: its approval takes this step.
        Step(name="supersede", before=(S.IN_FORCE,), after=S.SUPERSEDED, by=By.DATABASE, sets=("valid_to",)),
    ),
)
