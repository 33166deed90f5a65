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
_WHO: Final = "Find out who could write to the database past the application since the last intact verification."
_COMPARE: Final = "Compare with a backup from before: the event as it was recorded is in it."

WORDINGS: Final[Mapping[FindingClass, Wording]] = {
    FindingClass.ALTERED_EVENT: Wording(
        title="Events that were altered",
        meaning="The content of the record differs from what was sealed.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.MISSING_EVENT: Wording(
        title="Events that are gone",
        meaning="Their place in the log exists, but the record itself was removed. The application can't do that.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.MISSING_LEAF: Wording(
        title="Places in the log that are missing",
        meaning="The log has a gap: its content there can no longer be proved.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.EXTRA_LEAF: Wording(
        title="Places in the log that are taken twice",
        meaning="Something was inserted into the log past the application.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.UNSEALED: Wording(
        title="Events that have no place in the log",
        meaning="They were recorded more than five minutes ago, and nobody outside could detect their loss.",
        next="Check that the sealer is running (Health on the start page), and verify again. If it runs, the events "
        f"were taken out of its queue. {_COPY}",
    ),
    FindingClass.WRONG_SUBTREE: Wording(
        title="Stored sums of the tree that are wrong",
        meaning="A stored root over many places does not match them: proofs of events below it fail.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.TRUNCATED: Wording(
        title="The log is shorter than it was",
        meaning="A checkpoint was signed over more events than exist: the end of the log was cut off.",
        next=f"{_COPY} If a backup was restored recently, these events were not in it: restore a newer one, or "
        "document what is missing.",
    ),
    FindingClass.INCONSISTENT: Wording(
        title="The log does not begin as it did",
        meaning="Its first events are not those of a signed checkpoint: the log was rewritten or reordered.",
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
        meaning="A checkpoint that should be of this log is of another tenant or installation.",
        next=f"Check the place to which checkpoints are exported. {_COPY}",
    ),
    FindingClass.ALTERED_GROUP: Wording(
        title="Parts of events that are not what was recorded",
        meaning="A part exists but does not match its commitment, or its key is not the one that sealed it.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.UNKNOWN_GROUP: Wording(
        title="Parts that do not belong to their event",
        meaning="The event was recorded without them: they were inserted past the application.",
        next=f"{_COPY} {_WHO} Then two people have them removed: manage.py audit mend.",
    ),
    FindingClass.UNVOUCHED_EVENT: Wording(
        title="Events that nothing vouches for",
        meaning="They were written without the part that says who acted. The application never does that.",
        next=f"{_COPY} {_WHO} Then two people disown them: manage.py audit mend.",
    ),
    FindingClass.UNAUTHORISED_REMOVAL: Wording(
        title="Parts that were removed without an authorisation",
        meaning="They are gone, but no later event in the log allows that.",
        next=f"{_COPY} {_COMPARE}",
    ),
    FindingClass.INCOMPLETE_ERASURE: Wording(
        title="Parts whose removal was authorised and that are still there",
        meaning="An erasure or a purge that was approved has not been carried out completely.",
        next="Three checks, five minutes apart, found this: have the removal run again, and find out why the eraser "
        "stopped.",
    ),
    FindingClass.INVALID_ATTESTATION: Wording(
        title="Cosignatures or time stamps that are not of their checkpoint",
        meaning="The stored signature of a witness, or of a time-stamping service, is not what they signed.",
        next=f"{_COPY} Ask the witness for its own: it knows the newest checkpoint that it cosigned.",
    ),
    FindingClass.ALTERED_SCOPES: Wording(
        title="Events or parts that can be read by people they were not recorded for",
        meaning="The scopes of an event, or of a part of it, differ from those of its leaf. People who hold fewer "
        "scopes, or others, could have read it.",
        next=f"{_COPY} {_WHO} Check who has read the log since.",
    ),
    FindingClass.ALTERED_TERMS: Wording(
        title="Parts whose search entries do not match their content",
        meaning="The search entries stored beside a part do not match the part: lists omit it or show it wrongly, "
        "and the eraser relies on these entries.",
        next=f"{_COPY} {_WHO}",
    ),
    FindingClass.FOREIGN_EVENT: Wording(
        title="Events of another tenant's log",
        meaning="They were sealed in the log of another tenant, but are now in this one: somebody who can write to "
        "the database has moved them.",
        next=f"{_COPY} {_WHO} Verify the other tenant's log too.",
    ),
    FindingClass.UNSIGNED_REMOVAL: Wording(
        title="Parts that were removed on the word of events that no checkpoint covers",
        meaning="They are gone, but the event that allows it has not been signed, because it is too new or bypassed "
        "the worker. Anybody who can write to the database could have inserted it.",
        next="Three checks, five minutes apart, found this, although a checkpoint is signed every minute. Find out "
        f"why the worker signs none, have it sign one, and verify again. {_WHO}",
    ),
    FindingClass.UNSIGNED_TAIL: Wording(
        title="Events of more than an hour ago that no checkpoint covers",
        meaning=(
            "A checkpoint is signed every minute. Without one nobody outside could detect the loss of these events."
        ),
        next="Check that the worker is running and has GLASSBOX_LOG_SIGNING_KEY, and read what its log says about "
        "checkpoints. Then verify again.",
    ),
}

# Why a log could not be verified, by the code of the error. For any other code, the worker's log says more.
FAILURES: Final[Mapping[str, str]] = {
    "audit.checkpoint_export": "The place outside, where checkpoints are exported to, could not be read. Check that "
    "it is reachable and that the worker may read it.",
    "audit.exported_checkpoint_lost": "The exported checkpoint is missing, or older than one that existed before. "
    "Find out who can write to the place of the exported checkpoints: without a "
    "checkpoint nobody can detect that a log was cut off.",
    "audit.checkpoint_not_trusted": "The exported checkpoint is not signed by a key that is known here. If the signing "
    "key was changed, put the old one's public key into GLASSBOX_LOG_VERIFY_KEYS; otherwise somebody changed the file.",
    "audit.key_encryption_key_missing": "The log is sealed under a key that GLASSBOX_AUDIT_KEKS does not hold. Put it "
    "back there and verify again.",
    "audit.verification_worker_lost": "The worker stopped three times during the verification. Read its log: it may "
    "lack memory or time.",
    "audit.removal_under_way": "Removals that were authorised are not carried out yet, and nothing else is wrong.",
    "audit.checkpoint_missing": "The newest events have no signed checkpoint yet, and nothing else is wrong.",
    "audit.verification_crashed": "The program ended with an error. The worker's log has the details.",
}
_OTHERWISE: Final = "Read the worker's log for the reason, then verify again."


def failure_words(code: str) -> str:
    return FAILURES.get(code, _OTHERWISE)
