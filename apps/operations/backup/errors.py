from __future__ import annotations

from apps.errors import ApplicationError


class ProgramError(ApplicationError):
    code = "audit.backup_program"
    status = 500
    message = "{program} can't be used: {problem}."


class BackupTargetError(ApplicationError):
    code = "audit.backup_target"
    status = 500
    message = "The backup can't be written to {path}: {problem}."


class BackupDamagedError(ApplicationError):
    code = "audit.backup_damaged"
    status = 500
    message = "{path} is not a backup that can be trusted: {problem}."


class RestoreRefusedError(ApplicationError):
    code = "audit.restore_refused"
    status = 409
    message = "Nothing was restored: {problem}."


class ReplayIncompleteError(ApplicationError):
    """Something that was erased is still there, so the database stays closed."""

    code = "audit.replay_incomplete"
    status = 500
    message = (
        "{stores} still hold erased data of tenant {tenant}. Nothing is served. Run manage.py restore --replay "
        "again, and check the log if that does not help."
    )
