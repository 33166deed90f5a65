from __future__ import annotations

from apps.errors import ApplicationError


class UnregisteredActionError(ApplicationError):
    """A programmer's mistake that must not pass silently: the act is rolled back."""

    code = "audit.unregistered_action"
    status = 500
    message = "The action {action} is not registered. Register it with apps.audit.registry.register."


class UnregisteredFieldError(ApplicationError):
    code = "audit.unregistered_field"
    status = 500
    message = "The action {action} was recorded with fields that its registration does not name: {fields}."


class PayloadDamagedError(ApplicationError):
    """A part of an event is there and is not what was recorded. Never shown; never passed over."""

    code = "audit.payload_damaged"
    status = 500
    message = "The {group} part of event {event} can't be trusted: {problem}."


class KeyEncryptionKeyMissingError(ApplicationError):
    """The data keys were wrapped by a key that the environment does not hold."""

    code = "audit.key_encryption_key_missing"
    status = 500
    message = (
        "The log is sealed under the key-encryption key {kek!r}, which GLASSBOX_AUDIT_KEKS does not hold. Put it back "
        "there; it can be taken out after manage.py audit rotate-keys."
    )


class DataKeyDamagedError(ApplicationError):
    code = "audit.data_key_damaged"
    status = 500
    message = "A data key of the log does not unwrap under {kek!r}: it was changed, or that key was."


class LogInconsistentError(ApplicationError):
    """The log is not a continuation of what was signed before: nothing more of it is signed."""

    code = "audit.log_inconsistent"
    status = 500
    message = (
        "The log is not a continuation of its {which} checkpoint of {size} leaves: {problem}. No checkpoint is signed "
        "until somebody has found out why. Run manage.py audit verify."
    )


class SigningKeyMissingError(ApplicationError):
    code = "audit.signing_key_missing"
    status = 500
    message = "Only the worker signs the log: run this as glassbox_worker, with GLASSBOX_LOG_SIGNING_KEY."


class CheckpointExportError(ApplicationError):
    """It is tried again with the next checkpoint."""

    code = "audit.checkpoint_export"
    status = 500
    message = "A checkpoint can't be exported to {place}: {problem}."


class NotSealedError(ApplicationError):
    """The event is recorded, and has no leaf in the tree that was asked for."""

    code = "audit.not_sealed"
    status = 409
    message = "Event {event} is not in a signed checkpoint yet. That takes about a minute: try again."


class SizeUnknownError(ApplicationError):
    code = "audit.size_unknown"
    status = 404
    message = "There is no log of {size} leaves to prove anything of: sizes go from 1 to {largest}."


class NoCheckpointError(ApplicationError):
    code = "audit.no_checkpoint"
    status = 404
    message = "No checkpoint has been signed yet. The first one follows the first event within about a minute."


class MissingNodesError(ApplicationError):
    """Leaves or subtrees that the log's size promises are not there."""

    code = "audit.log_damaged"
    status = 500
    message = (
        "{count} stored hashes of the log are missing, such as number {index} of level {level}. Run manage.py audit "
        "verify."
    )


class CertificateNotFoundError(ApplicationError):
    code = "audit.certificate_not_found"
    status = 404
    message = "There is no such certificate here: {certificate}."


class WholeLogError(ApplicationError):
    """A copy of the log with gaps where the reader's scopes end would prove nothing."""

    code = "audit.whole_log"
    status = 403
    message = (
        "The package holds the whole log, and you don't hold all scopes of this tenant. Somebody who does can take it."
    )


class WitnessError(ApplicationError):
    """A checkpoint goes on without this cosignature, and it is asked for again."""

    code = "audit.witness"
    status = 502
    message = "The witness {witness} did not cosign: {problem}."


class TimestampError(ApplicationError):
    """A checkpoint goes on without a time stamp, and it is asked for again."""

    code = "audit.timestamp"
    status = 502
    message = "There is no time stamp: {problem}."


class TombstonesUnavailableError(ApplicationError):
    """Whether something was erased can't be asked: nothing is taken in, removed or served until it can."""

    code = "audit.tombstones_unavailable"
    status = 503
    message = "The record of what was erased can't be used at {place}: {problem}. Nothing was done; try again then."


class TombstonesDamagedError(ApplicationError):
    """A tombstone was changed or taken away, or the key is another one."""

    code = "audit.tombstones_damaged"
    status = 503
    message = (
        "The record of what was erased is damaged at number {number}: {problem}. Put it back from its own copy "
        "(GLASSBOX_TOMBSTONES_URL), under the audit key that it was written with."
    )
