from __future__ import annotations

from apps.errors import ApplicationError


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
