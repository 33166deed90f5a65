from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from apps.errors import CodedError


class BackupError(CodedError):
    """Why a backup can't be made or trusted, or why it is not restored."""

    kinds: ClassVar[Mapping[str, tuple[int, str]]] = {
        "audit.backup_program": (500, "{program} can't be used: {problem}."),
        "audit.backup_target": (500, "The backup can't be written to {path}: {problem}."),
        "audit.backup_damaged": (500, "{path} is not a backup that can be trusted: {problem}."),
        "audit.restore_refused": (409, "Nothing was restored: {problem}."),
        # Something that was erased is still there, so the database stays closed.
        "audit.replay_incomplete": (
            500,
            (
                "{stores} still hold erased data of tenant {tenant}. Nothing is served. Run manage.py restore "
                "--replay again, and check the log if that does not help."
            ),
        ),
    }
