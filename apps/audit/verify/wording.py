"""The meaning of each class of finding for a person, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from apps.audit.verify.findings import FindingClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The words for a class. title: what was found; meaning: what that says of the log; next: what to do now."""

    title: str
    meaning: str
    next: str


_COPY: Final = "Keep a copy of the database and of the exported checkpoints as they are, before anything else is done."
_WHO: Final = (
    "Find out who could write to the database past the application since the last verification that was intact."
)
_COMPARE: Final = "Compare with a backup from before: the event as it was recorded is in it."

WORDINGS: Final[Mapping[FindingClass, Wording]] = {
    FindingClass.ALTERED_EVENT: Wording(
        title="Events that were altered",
        meaning="What stands in the record is not what was sealed.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.MISSING_EVENT: Wording(
        title="Events that are gone",
        meaning="Their place in the log is there, and the record itself was removed. The application can't do that.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.MISSING_LEAF: Wording(
        title="Places in the log that are missing",
        meaning="The log has a gap: what stood there can't be proved any more.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.EXTRA_LEAF: Wording(
        title="Places in the log that are taken twice",
        meaning="Something was put into the log beside the application.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.UNSEALED: Wording(
        title="Events that have no place in the log",
        meaning="They were recorded more than five minutes ago and nobody outside would miss them.",
        next="See that the sealer runs (Health on the start page), and verify again. If it runs, the events "
        f"were taken out of its queue. {_COPY}",
    ),
    FindingClass.WRONG_SUBTREE: Wording(
        title="Stored sums of the tree that are wrong",
        meaning="A stored root over many places does not fit them: proofs of events below it fail.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.TRUNCATED: Wording(
        title="The log is shorter than it was",
        meaning="A checkpoint was signed over more events than are there: the end of the log was cut off.",
        next=f"{_COPY} If a backup was restored lately, this is what it left out: restore a newer one, or have what is "
        "missing written down.",
    ),
    FindingClass.INCONSISTENT: Wording(
        title="The log does not begin as it did",
        meaning="Its first events are not those of a signed checkpoint: the log was written anew, or reordered.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.INVALID_CHECKPOINT: Wording(
        title="Stored checkpoints that nobody known has signed",
        meaning="A checkpoint in the database is not what was signed, or its key is not known here.",
        next="If the signing key was changed lately, put the old one's public key into GLASSBOX_LOG_VERIFY_KEYS and "
        f"verify again. Otherwise: {_COPY[0].lower()}{_COPY[1:]}",
    ),
    FindingClass.FOREIGN_CHECKPOINT: Wording(
        title="Checkpoints of another log",
        meaning="What should be a checkpoint of this log is one of another tenant's or installation's.",
        next=f"See what lies where checkpoints are exported to. {_COPY}",
    ),
    FindingClass.ALTERED_GROUP: Wording(
        title="Parts of events that are not what was recorded",
        meaning="A part is there and does not open what binds it, or its key is not the one that it was sealed by.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.UNKNOWN_GROUP: Wording(
        title="Parts that do not belong to their event",
        meaning="The event was recorded without them: they were put there beside the application.",
        next=f"{_COPY} {_WHO} Then two people have them removed: manage.py audit mend.",
    ),
    FindingClass.UNVOUCHED_EVENT: Wording(
        title="Events that nothing vouches for",
        meaning="They were written without the part that says who acted: the application writes none such.",
        next=f"{_COPY} {_WHO} Then two people disown them: manage.py audit mend.",
    ),
    FindingClass.UNAUTHORISED_REMOVAL: Wording(
        title="Parts that were removed without an authorisation",
        meaning="They are gone, and no later event in the log allows it.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.INCOMPLETE_ERASURE: Wording(
        title="Parts whose removal was authorised and that are still there",
        meaning="An erasure or a purge that was decided has not been carried out in full.",
        next="It was so at three looks, five minutes apart: have the removal run again, and see why the eraser "
        "stopped.",
    ),
    FindingClass.INVALID_ATTESTATION: Wording(
        title="Cosignatures or time stamps that are not of their checkpoint",
        meaning="What is stored as the word of a witness, or of a time-stamping service, is not what they signed.",
        next=f"{_COPY} Ask the witness for its own: it knows the newest checkpoint that it cosigned.",
    ),
    FindingClass.ALTERED_SCOPES: Wording(
        title="Events or parts that other people can read than they were recorded for",
        meaning="The scopes of an event, or of a part of it, are not those of its leaf: whoever holds fewer, or "
        "others, could read it meanwhile.",
        next=f"{_COPY} {_WHO} See who has read the log since.",
    ),
    FindingClass.ALTERED_TERMS: Wording(
        title="Parts that are found by other things than they say",
        meaning="What a part is searched by lies beside it, and does not follow from it: lists leave it out or show it "
        "wrongly, and the eraser goes by it.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.FOREIGN_EVENT: Wording(
        title="Events of another tenant's log",
        meaning="They were sealed in the log of another tenant, and stand in this one now: somebody who can write to "
        "the database has exchanged them.",
        next=f"{_COPY} {_WHO} Verify the other tenant's log too.",
    ),
    FindingClass.UNSIGNED_REMOVAL: Wording(
        title="Parts that were removed on the word of events that no checkpoint covers",
        meaning="They are gone, and what allows it is so new, or so much past the worker, that nobody has signed it: "
        "whoever can write to the database could have put it there.",
        next="It was so at three looks, five minutes apart, and a checkpoint is signed every minute: see why the "
        f"worker signs none, have it sign one and verify again. {_WHO}",
    ),
    FindingClass.UNSIGNED_TAIL: Wording(
        title="Events of more than an hour ago that no checkpoint covers",
        meaning="A checkpoint is signed every minute. Without one nobody outside would miss what stands there.",
        next="See that the worker runs and has GLASSBOX_LOG_SIGNING_KEY, and what its log says of checkpoints; then "
        "verify again.",
    ),
}

# Why a log could not be verified, by the code of the error. For any other code, the worker's log says more.
FAILURES: Final[Mapping[str, str]] = {
    "audit.checkpoint_export": "The place outside, where checkpoints are exported to, could not be read. See that it "
    "is reachable and that the worker may read it.",
    "audit.exported_checkpoint_lost": "The exported checkpoint is missing or older than one that was there before. "
    "See who can write where checkpoints are exported to: without it nobody can tell a log that was cut off.",
    "audit.checkpoint_not_trusted": "The exported checkpoint is not signed by a key that is known here. If the signing "
    "key was changed, put the old one's public key into GLASSBOX_LOG_VERIFY_KEYS; otherwise somebody changed the file.",
    "audit.key_encryption_key_missing": "The log is sealed under a key that GLASSBOX_AUDIT_KEKS does not hold. Put it "
    "back there and verify again.",
    "audit.verification_worker_lost": "The worker was ended three times while it verified. See its log: it may lack "
    "memory or time.",
    "audit.removal_under_way": "Removals that were authorised are not carried out yet, and nothing else is wrong.",
    "audit.checkpoint_missing": "The newest events have no signed checkpoint yet, and nothing else is wrong.",
    "audit.verification_crashed": "The program ended with an error. The worker's log says where.",
}
_OTHERWISE: Final = "See the worker's log for the reason, and verify again."


def failure_words(code: str) -> str:
    return FAILURES.get(code, _OTHERWISE)
