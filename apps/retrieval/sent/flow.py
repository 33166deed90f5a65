"""The steps of a question that was sent to the officers: one of them decides, in their own name, once."""

from __future__ import annotations

from typing import Final

from apps.retrieval.models.sent import SentState as S
from apps.tenants.flows.table import By, Flow, Step
from apps.tenants.roles import Permission

_DECISION: Final = ("decided_by_id", "decided_at", "reply_key_id", "reply_sealed")
_REFUSAL: Final = "a question that was sent is decided on by who edits policies"


def _decided(after: S, label: str, *, done: str) -> Step:
    return Step(
        name=after.value,
        before=(S.SENT,),
        after=after,
        by=By.PERSON,
        may=(Permission.POLICY_EDIT,),
        signed="decided_by_id",
        requires=("decided_at",),
        sets=_DECISION,
        label=label,
        done=done,
        refusal=_REFUSAL,
        unsigned="a question that was sent is decided on in the officer's own name",
    )


SENT_QUESTIONS: Final = Flow(
    name="sent question",
    table="retrieval_sentquestion",
    noun="a question that was sent",
    state="state",
    author="asker_id",
    states=tuple(S),
    begins="a question that is sent begins as sent, with nothing decided",
    columns=dict.fromkeys(_DECISION, "what is decided of a question that was sent is set by the decision"),
    steps=(
        _decided(S.ANSWERED, "Answer it: the person gets what you write below", done="answered"),
        _decided(S.EXAMPLE, "It is a review example now: a draft has it", done="made an example"),
        _decided(S.MISSING, "A document is missing: none that is held answers it", done="marked as missing a document"),
        _decided(S.WITHHELD, "The policy withholds the answer on purpose", done="marked as withheld"),
    ),
)
