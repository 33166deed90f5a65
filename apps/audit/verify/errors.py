from __future__ import annotations

from apps.errors import ApplicationError


class CheckpointNotTrustedError(ApplicationError):
    """What was given as a checkpoint proves nothing."""

    code = "audit.checkpoint_not_trusted"
    status = 400
    message = "The checkpoint can't be trusted: {problem}. Give one that a key of GLASSBOX_LOG_VERIFY_KEYS has signed."


class CheckpointOfAnotherLogError(ApplicationError):
    code = "audit.checkpoint_of_another_log"
    status = 400
    message = "The checkpoint is of {origin}, and this log is {wanted}. Give a checkpoint of this log."


class CheckpointAheadError(ApplicationError):
    """An export since a checkpoint can't begin beyond the end of the log: it is shorter than it once was."""

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
