from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import ApplicationError, CodedError


class UnregisteredActionError(ApplicationError):
    """A programmer's mistake that must not pass silently: the transaction is rolled back."""

    code = "audit.unregistered_action"
    status = 500
    message = "The action {action} is not registered. Register it with apps.audit.registry.register."


class LogError(CodedError):
    """What stands against recording, signing or reading the log."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.unregistered_field": (
            500,
            "The action {action} was recorded with fields that its registration does not name: {fields}.",
        ),
        # The log does not continue what was signed before, so no later state of it is signed.
        "audit.log_inconsistent": (
            500,
            (
                "The log does not continue its {which} checkpoint of {size} leaves: {problem}. No checkpoint is "
                "signed until the reason is found. Run manage.py audit verify."
            ),
        ),
        "audit.signing_key_missing": (
            500,
            "Only the worker signs the log: run this as glassbox_worker, with GLASSBOX_LOG_SIGNING_KEY.",
        ),
        # There is none, or it touched a scope that the caller does not hold: the two must look alike.
        "audit.event_not_found": (404, "There is no event {event} that you may see."),
        "audit.certificate_not_found": (404, "There is no such certificate here: {certificate}."),
        # The reader does not hold every scope, and a copy of the log with gaps would prove nothing.
        "audit.whole_log": (
            403,
            (
                "The package contains the whole log, but you don't hold all scopes of this tenant. Somebody who does "
                "can download it."
            ),
        ),
    }


class PayloadDamagedError(ApplicationError):
    """A part of an event exists but is not what was recorded. It is never shown, and the error is never ignored."""

    code = "audit.payload_damaged"
    status = 500
    message = "The {group} part of event {event} can't be trusted: {problem}."


class KeyEncryptionKeyMissingError(ApplicationError):
    """The data keys were wrapped by a key that the environment does not hold."""

    code = "audit.key_encryption_key_missing"
    status = 500
    message = (
        "The log is sealed under the key-encryption key {kek!r}, which GLASSBOX_AUDIT_KEKS does not hold. Put it "
        "back there. You can remove it after manage.py audit rotate-keys."
    )


class DataKeyDamagedError(ApplicationError):
    code = "audit.data_key_damaged"
    status = 500
    message = "A data key of the log does not unwrap under {kek!r}: it was changed, or that key was."


class CheckpointExportError(ApplicationError):
    """A checkpoint could not be exported. The export is tried again with the next checkpoint."""

    code = "audit.checkpoint_export"
    status = 500
    message = "A checkpoint can't be exported to {place}: {problem}."


class NotSealedError(ApplicationError):
    """The event is recorded but has no leaf in the tree that was asked for."""

    code = "audit.not_sealed"
    status = 409
    message = "Event {event} is not in a signed checkpoint yet. That takes about a minute: try again."


class SizeUnknownError(ApplicationError):
    code = "audit.size_unknown"
    status = 404
    message = "There is no log of {size} leaves: sizes go from 1 to {largest}."


class NoCheckpointError(ApplicationError):
    code = "audit.no_checkpoint"
    status = 404
    message = "No checkpoint has been signed yet. The first one follows the first event within about a minute."


class MissingNodesError(ApplicationError):
    """Leaves or subtrees that the size of the log implies are missing."""

    code = "audit.log_damaged"
    status = 500
    message = (
        "{count} stored hashes of the log are missing, such as number {index} of level {level}. Run manage.py audit "
        "verify."
    )


class WitnessError(ApplicationError):
    """A witness did not cosign. The checkpoint stands without this cosignature, which is asked for again."""

    code = "audit.witness"
    status = 502
    message = "The witness {witness} did not cosign: {problem}."


class TimestampError(ApplicationError):
    """A checkpoint got no time stamp. The checkpoint stands without it, and the time stamp is asked for again."""

    code = "audit.timestamp"
    status = 502
    message = "There is no time stamp: {problem}."


class TombstonesUnavailableError(ApplicationError):
    """The record of erasures can't be read or written. Nothing is taken in, removed or served until it can."""

    code = "audit.tombstones_unavailable"
    status = 503
    message = (
        "The record of what was erased can't be used at {place}: {problem}. Nothing was done; try again once it can "
        "be used."
    )


class TombstonesDamagedError(ApplicationError):
    """A tombstone was changed or removed, or the key is not the one that it was written with."""

    code = "audit.tombstones_damaged"
    status = 503
    message = (
        "The record of what was erased is damaged at number {number}: {problem}. Put it back from its own copy "
        "(GLASSBOX_TOMBSTONES_URL), under the audit key that it was written with."
    )
