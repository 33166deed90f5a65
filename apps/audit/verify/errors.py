from __future__ import annotations

from apps.errors import ApplicationError


class CheckpointNotTrustedError(ApplicationError):
    """The given checkpoint proves nothing."""

    code = "audit.checkpoint_not_trusted"
    status = 400
    message = "The checkpoint can't be trusted: {problem}. Give one that a key of GLASSBOX_LOG_VERIFY_KEYS has signed."


class CheckpointOfAnotherLogError(ApplicationError):
    code = "audit.checkpoint_of_another_log"
    status = 400
    message = "The checkpoint is of {origin}, and this log is {wanted}. Give a checkpoint of this log."


class CheckpointAheadError(ApplicationError):
    """An export since a checkpoint can't begin beyond the end of the log, which is shorter than it once was."""

    code = "audit.checkpoint_ahead"
    status = 409
    message = (
        "The checkpoint has {size} leaves, and the log does not begin with them: it was cut off or written anew. "
        "Run manage.py audit verify."
    )


class ExportTargetError(ApplicationError):
    code = "audit.export_target"
    status = 409
    message = "{path} is there already, or can't be written ({problem}). Name a place that does not exist yet."


class ExportedCheckpointLostError(ApplicationError):
    """The outside place proves less than it did before, so no log is verified against it."""

    code = "audit.exported_checkpoint_lost"
    status = 409
    message = "{problem}. Look at the place that GLASSBOX_CHECKPOINT_URL names, and at who can write there."


class RemovalUnderWayError(ApplicationError):
    """The only finding is that authorised removals are not carried out yet, so the log is verified again later."""

    code = "audit.removal_under_way"
    status = 409
    message = "A removal is being carried out: the log is verified again in a few minutes."


class CheckpointMissingError(ApplicationError):
    """The only finding is that no signed checkpoint covers the newest events, so the log is verified again later."""

    code = "audit.checkpoint_missing"
    status = 409
    message = "No signed checkpoint covers the newest events: the log is verified again in a few minutes."


class VerificationWorkerLostError(ApplicationError):
    code = "audit.verification_worker_lost"
    status = 500
    message = "The worker was lost {attempts} times while it verified the log."


class VerificationCrashedError(ApplicationError):
    code = "audit.verification_crashed"
    status = 500
    message = "The verification ended with an error of the program: {kind}."
